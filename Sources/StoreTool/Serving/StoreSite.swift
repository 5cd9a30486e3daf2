import CommandLineSupport
import Foundation
import OpenSwiftData

/// The pages about a store: the bytes of a request in, the bytes of the response out.
///
/// Nothing here can write: the store is opened read-only, and no request has an effect.
struct StoreSite: Sendable {
  private let opened: OpenedStore
  private let hosts: Set<String>
  private let name: String

  /// Creates the pages of a store.
  ///
  /// - Parameters:
  ///   - opened: The store, opened for reading.
  ///   - port: The port of the server; a request that names another host is refused.
  init(_ opened: OpenedStore, port: UInt16) {
    self.opened = opened
    let names = ["127.0.0.1", "localhost", "[::1]"]
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    let path = (try? StoreURL(opened.url))?.path ?? ""
    name = path.isEmpty ? opened.url : URL(filePath: path).lastPathComponent
  }

  /// Returns the response to a request; `nil` is a request that did not arrive in time.
  func respond(_ bytes: [UInt8]?) -> [UInt8] {
    guard let bytes else { return failure(.timeout).bytes() }
    do throws(HTTPStatus) {
      let request = try HTTPRequest(bytes, hosts: hosts)
      return response(to: request).bytes(includesBody: !request.isHead)
    } catch {
      return failure(error).bytes()
    }
  }

  private func response(to request: HTTPRequest) -> HTTPResponse {
    if request.path == ["style.css"] {
      return HTTPResponse(contentType: "text/css; charset=utf-8", Stylesheet.text)
    }
    do {
      if let value = try wholeValue(request.path) { return value }
      guard let page = try page(request.path, request.query) else { return failure(.notFound) }
      return response(page)
    } catch {
      if error is CommandFailure || error is UsageError { return failure(.badRequest, "\(error)") }
      let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
      return failure(.failed, text)
    }
  }

  private func page(_ path: [String], _ query: [String: String]) throws -> Page? {
    switch path.first {
    case nil: return try OverviewPage.page(opened)
    case "schema" where path.count == 1: return SchemaPage.page(opened)
    case "history" where path.count == 1: return try HistoryPage.page(query, opened)
    case "go" where path.count == 1:
      let identifier = try ObjectName.identifier(query["id"] ?? "", in: opened)
      return try opened.object(identifier).map { try ObjectPage($0, in: opened).page }
    case "entities" where path.count == 2:
      guard let entity = opened.store.schema.storeSchema.entity(named: path[1]) else { return nil }
      return try EntityPage.page(entity, query, opened)
    case "objects" where path.count == 3 || path.count == 4:
      return try objectPage(path, query)
    default: return nil
    }
  }

  private func identifier(_ path: [String]) -> PersistentIdentifier? {
    guard let entity = opened.store.schema.storeSchema.entity(named: path[1]) else { return nil }
    return ObjectName.identifier(entity, path[2], in: opened)
  }

  /// Returns the whole value of an attribute of which pages show the beginning, or `nil` for other
  /// addresses.
  private func wholeValue(_ path: [String]) throws -> HTTPResponse? {
    guard path.count == 4, path[0] == "objects", let identifier = identifier(path) else {
      return nil
    }
    let wanted = WantedProperties(names: [path[3]], readsFiles: true)
    guard let object = try opened.object(identifier, wanted),
      let property = object.entity.property(named: path[3]), property.attributeType != nil,
      let value = object.value(of: property)
    else { return nil }
    if case .data(let data) = value { return HTTPResponse(attachment: Array(data)) }
    let text = ShownValue(value, property, in: object.entity).exact
    return HTTPResponse(contentType: "text/plain; charset=utf-8", text)
  }

  private func objectPage(_ path: [String], _ query: [String: String]) throws -> Page? {
    let wanted = WantedProperties(names: nil, readsFiles: false)
    guard let identifier = identifier(path), let object = try opened.object(identifier, wanted)
    else { return nil }
    if path.count == 3 { return try ObjectPage(object, in: opened).page }
    guard let index = object.entity.indexByName[path[3]] else { return nil }
    return try EntityPage.members(of: object, index, query, opened)
  }

  private func response(_ page: Page) -> HTTPResponse {
    let example = "\(opened.entities.first?.name ?? "Entity")/1"
    let html = page.html(store: name, example: example)
    return HTTPResponse(page.status, contentType: "text/html; charset=utf-8", html)
  }

  private func failure(_ status: HTTPStatus, _ text: String = "") -> HTTPResponse {
    let content = HTML { html in
      html.element("h1", text: "\(status.code) \(status.reason)")
      if !text.isEmpty { html.element("p", text: text) }
      html.element("p") { $0.link(PageLink.overview, text: "To the entities") }
    }
    return response(Page(title: status.reason, status: status, content: content))
  }
}
