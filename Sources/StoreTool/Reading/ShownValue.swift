import Foundation
import JSONFileStore
import OpenSwiftData

/// A readable form of a property's value, also for tables.
struct ShownValue {
  let value: StoreValue
  let property: StoreProperty
  let entity: StoreEntity

  init(_ value: StoreValue, _ property: StoreProperty, in entity: StoreEntity) {
    self.value = value
    self.property = property
    self.entity = entity
  }

  /// The value for a table: data and related objects are counted, and a missing value is a dash.
  var short: String {
    switch value {
    case .null: "-"
    case .data(let data): Self.bytes(data.count)
    case .identifiers(let list): "\(list.count)"
    default: exact
    }
  }

  /// The whole value, or an empty string if there is none.
  var exact: String {
    switch value {
    case .null: ""
    case .string(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .identifier(let identifier): "\(identifier)"
    case .identifiers(let list): list.map(\.description).joined(separator: " ")
    default: unquoted(RowText.text(of: value, as: property, in: entity))
    }
  }

  /// Returns a number of bytes in words.
  static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  /// Returns a number of bytes in words, for people.
  static func groupedBytes(_ count: Int) -> String {
    count == 1 ? "1 byte" : "\(count.grouped) bytes"
  }

  /// Returns JSON without the quotes around a string that needs no escapes: dates, decimals, UUIDs.
  private func unquoted(_ text: String) -> String {
    guard property.attributeType != .codable, text.count >= 2, text.hasPrefix("\""),
      text.hasSuffix("\"")
    else { return text }
    return String(text.dropFirst().dropLast())
  }
}
