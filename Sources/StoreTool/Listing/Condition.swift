import CommandLineSupport
import Foundation
import JSONFileStore
import OpenSwiftData

/// A condition on one property as a person types it: `destination=Bonn`, `perDiem>20`.
struct Condition {
  /// What the condition means to a store.
  let expression: QueryExpression

  private enum Test {
    case compare(QueryExpression.Comparison)
    case contains
  }

  // Longer signs first: `>=` begins with `>`.
  private static let signs: [(text: String, test: Test)] = [
    ("!=", .compare(.notEqual)), ("<=", .compare(.lessOrEqual)), (">=", .compare(.greaterOrEqual)),
    ("=", .compare(.equal)), ("<", .compare(.less)), (">", .compare(.greater)), ("~", .contains),
  ]

  /// Reads a condition.
  ///
  /// - Throws: `UsageError` for what is no condition, `CommandFailure` for an unknown property or a
  ///   value of another type.
  init(_ text: String, of entity: StoreEntity, in store: OpenedStore) throws {
    guard let start = text.firstIndex(where: { "!<>=~".contains($0) }),
      let sign = Self.signs.first(where: { text[start...].hasPrefix($0.text) })
    else {
      throw UsageError("'\(text)' is no condition; write it as name=Paris, with = != < <= > >= ~")
    }
    let name = text[..<start].trimmed
    let operand = text[text.index(start, offsetBy: sign.text.count)...].trimmed
    let property = try entity.known(name)
    guard !property.isToMany else {
      throw CommandFailure("\(entity.name).\(name) has many objects; no condition takes that")
    }
    let stored = QueryExpression.property(.element(0), property.name)
    let present = property.isOptional ? QueryExpression.unwrap(stored) : stored
    switch sign.test {
    case .contains:
      guard property.attributeType == .string || property.attributeType == .url else {
        throw CommandFailure("\(entity.name).\(name) is no text; ~ asks what a text contains")
      }
      expression = .text(.localizedStandardContains, present, .constant(.string(operand)))
    case .compare(let comparison):
      let value = try Self.value(operand, property, entity, store)
      let isEquality = comparison == .equal || comparison == .notEqual
      expression = .compare(comparison, isEquality ? stored : present, .constant(value))
    }
  }

  private static func value(
    _ text: String,
    _ property: StoreProperty,
    _ entity: StoreEntity,
    _ store: OpenedStore
  ) throws -> StoreValue {
    if property.isOptional, text == "nil" { return .null }
    if property.isToOne { return .identifier(try ObjectName.identifier(text, in: store)) }
    switch property.attributeType {
    case .string, .url: return .string(text)
    case .date: return try read("\"\(text.count == 10 ? text + "T00:00:00Z" : text)\"")
    case .uuid, .decimal: return try read(RowText.quoted(text))
    case .double, .float:
      // A whole number is one of these as well.
      guard let number = Double(text) else { return try read(text) }
      return .double(number)
    case .codable, .data, nil:
      throw CommandFailure("\(entity.name).\(property.name) cannot be compared with a text")
    default: return try read(text)
    }

    func read(_ json: String) throws -> StoreValue {
      do {
        return try RowText.value(json, as: property, in: entity)
      } catch {
        let type = property.attributeType?.rawValue ?? ""
        throw CommandFailure("'\(text)' is no \(type), as \(entity.name).\(property.name) is")
      }
    }
  }
}

extension Substring {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
