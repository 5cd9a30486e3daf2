import Hummingbird
import OpenSwiftData

extension TripLibrary {
  /// How many trips a page has where nothing is said, and at the most.
  private static let limits = (standard: 20, greatest: 100)

  /// The routes under `/trips`, and `/healthz`.
  ///
  /// - Parameter isTraced: Whether each request is a span, the parent of those of the store.
  /// - Returns: The router.
  public func router(isTraced: Bool = false) -> Router<BasicRequestContext> {
    let router = Self.emptyRouter(isTraced: isTraced)
    Self.addTrips(to: router) { _ in self }
    return router
  }

  /// A router with `/healthz` alone, which translates errors of stores to statuses.
  static func emptyRouter(isTraced: Bool = false) -> Router<BasicRequestContext> {
    let router = Router()
    if isTraced { router.add(middleware: TracingMiddleware()) }
    router.add(middleware: StoreErrors())
    // Requests no store, so it responds whatever the store waits for.
    router.get("healthz") { _, _ in HTTPResponse.Status.ok }
    return router
  }

  /// Adds the routes under `trips`, with the library of each request.
  static func addTrips(
    to routes: some RouterMethods<BasicRequestContext>,
    of library: @escaping @Sendable (BasicRequestContext) async throws -> TripLibrary
  ) {
    routes.get("trips") { request, context in
      let offset = try number("offset", of: request) ?? 0
      let limit = min(try number("limit", of: request) ?? limits.standard, limits.greatest)
      return try await library(context).reading { try $0.page(offset: offset, limit: limit) }
    }
    routes.get("trips/:id") { _, context in
      let key = try key(context)
      guard let trip = try await library(context).reading({ try $0.trip(key) }) else {
        throw HTTPError(.notFound)
      }
      return trip
    }
    routes.post("trips") { request, context in
      let snapshot = try await request.decode(as: ModelSnapshot<Trip>.self, context: context)
      let added = try await library(context).add(snapshot)
      let location = "\(request.uri.path)/\(added.id)"
      return EditedResponse(status: .created, headers: [.location: location], response: added)
    }
    routes.patch("trips/:id") { request, context in
      let decoder = context.requestDecoder
      decoder.userInfo = [.partialSnapshots: true, .strictSnapshots: true]
      let changes = try await decoder.decode(
        ModelSnapshot<Trip>.self,
        from: request,
        context: context
      )
      guard let trip = try await library(context).change(key(context), by: changes) else {
        throw HTTPError(.notFound)
      }
      return trip
    }
    routes.delete("trips/:id") { _, context in
      guard try await library(context).remove(key(context)) else { throw HTTPError(.notFound) }
      return HTTPResponse.Status.noContent
    }
  }

  /// An integer parameter of the query, or `nil` if there is none.
  private static func number(_ name: String, of request: Request) throws -> Int? {
    guard let text = request.uri.queryParameters.get(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw HTTPError(.badRequest, message: "\(name) must be an integer of at least 0, not \(text)")
    }
    return number
  }

  private static func key(_ context: BasicRequestContext) throws -> Int64 {
    let text = context.parameters.get("id") ?? ""
    guard let key = Int64(text) else {
      throw HTTPError(.badRequest, message: "the key of a trip is an integer, not \(text)")
    }
    return key
  }
}

extension TripCopy: ResponseEncodable {}
extension TripLibrary.Page: ResponseEncodable {}

/// Responds to errors of a store, and to bodies that are not JSON, with the matching status.
private struct StoreErrors: RouterMiddleware {
  func handle(
    _ request: Request,
    context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as DataStoreError {
      throw HTTPError(error.status, message: "\(error)")
    } catch let error as SwiftDataError {
      throw HTTPError(.badRequest, message: "\(error)")
    } catch is DecodingError {
      throw HTTPError(.badRequest, message: "the body is not JSON")
    }
  }
}

extension DataStoreError {
  /// The status of the response to the error.
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .invalidValue: .badRequest
    case .uniqueConflict, .conflict, .deletionDenied: .conflict
    case .storeNotFound: .notFound
    case .storeReadOnly: .methodNotAllowed
    case .storeBusy, .outcomeUnknown, .notSaved, .io, .schemaMismatch: .serviceUnavailable
    default: .internalServerError
    }
  }
}
