import Foundation
import OpenSwiftData

/// The addresses of the pages.
enum PageLink {
  static let overview = "/"
  static let schema = "/schema"
  static let history = "/history"

  static let jump = "/go"

  static func entity(
    _ name: String,
    sort: String? = nil,
    choice: EntityPage.Choice = EntityPage.Choice([:]),
    page: Int = 1
  ) -> String {
    var items: [String] = []
    if !choice.words.isEmpty { items.append("q=\(escaped(choice.words))") }
    if !choice.condition.isEmpty { items.append("where=\(escaped(choice.condition))") }
    if let sort { items.append("sort=\(escaped(sort))") }
    if page > 1 { items.append("page=\(page)") }
    return "/entities/\(escaped(name))" + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
  }

  static func object(_ identifier: PersistentIdentifier) -> String {
    "/objects/\(escaped(identifier.entityName))/\(escaped(key(of: identifier)))"
  }

  static func members(
    _ identifier: PersistentIdentifier,
    _ property: String,
    page: Int = 1
  ) -> String {
    "\(object(identifier))/\(escaped(property))" + (page > 1 ? "?page=\(page)" : "")
  }

  private static func key(of identifier: PersistentIdentifier) -> String {
    switch identifier.key {
    case .integer(let number): "\(number)"
    case .text(let text): text
    case .temporary(let number): "t\(number)"
    }
  }

  private static let plain = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
  )

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
