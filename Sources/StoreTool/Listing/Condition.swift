import CommandLineSupport
import Foundation
import JSONFileStore
import OpenSwiftData

/// A condition on one property as typed by a user: `destination=Bonn`, `author.name~Ada`.
struct Condition {
  /// The condition as a store's expression.
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

  /// Parses a condition.
  ///
  /// - Throws: `UsageError` for an invalid condition, and `CommandFailure` for an unknown property
  ///   or a value of another type.
  init(_ text: String, of entity: StoreEntity, in store: OpenedStore) throws {
    guard let start = text.firstIndex(where: { "!<>=~".contains($0) }),
      let sign = Self.signs.first(where: { text[start...].hasPrefix($0.text) })
    else {
      throw UsageError(
        "'\(text)' is not a condition; write it as name=Paris, with = != < <= > >= ~"
      )
    }
    let path = text[..<start].trimmed.split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    let operand = text[text.index(start, offsetBy: sign.text.count)...].trimmed
    expression = try Self.expression(path[...], .element(0), 1, of: entity, in: store) {
      try Self.test($0, sign.test, operand, $1, $2, store)
    }
  }

  /// Returns the condition that at least one of the objects on a path satisfies.
  ///
  /// - Parameters:
  ///   - path: The names of relationships, ending with a property.
  ///   - base: The object at which the path begins.
  ///   - free: The number of the first unbound variable.
  ///   - entity: The entity of the object.
  ///   - store: The store.
  ///   - test: Returns the condition on the value at the end of the path.
  /// - Returns: The condition.
  /// - Throws: `CommandFailure` for an invalid path, and errors of `test`.
  private static func expression(
    _ path: ArraySlice<String>,
    _ base: QueryExpression,
    _ free: Int,
    of entity: StoreEntity,
    in store: OpenedStore,
    _ test: (Operand, StoreProperty, StoreEntity) throws -> QueryExpression
  ) throws -> QueryExpression {
    let property = try entity.requiredProperty(path.first ?? "")
    let value = QueryExpression.property(base, property.name)
    let rest = path.dropFirst()
    if rest.isEmpty {
      guard !property.isToMany else {
        throw CommandFailure(
          "\(entity.name).\(property.name) is a to-many relationship; append a property of its "
            + "objects, as \(property.name).NAME"
        )
      }
      return try test(Operand(value: value, isOptional: property.isOptional), property, entity)
    }
    guard let relationship = property.relationship else {
      throw CommandFailure(
        "\(entity.name).\(property.name) is not a relationship; end the path at its name"
      )
    }
    let destination = try store.entity(named: relationship.destination)
    // A value is reached through single objects; a list must be searched where it occurs.
    guard try property.isToMany || hasList(rest, of: destination, in: store) else {
      return try expression(rest, .element(free), free + 1, of: destination, in: store) {
        try test($0.reached(from: value, variable: free), $1, $2)
      }
    }
    let inner = try expression(rest, .element(free), free + 1, of: destination, in: store, test)
    return property.isToMany
      ? .quantified(.some, value, variable: free, inner)
      : .coalesce(.map(value, variable: free, body: inner), .constant(.bool(false)))
  }

  /// Returns whether a path contains a to-many relationship.
  private static func hasList(
    _ path: ArraySlice<String>,
    of entity: StoreEntity,
    in store: OpenedStore
  ) throws -> Bool {
    let property = try entity.requiredProperty(path.first ?? "")
    if property.isToMany { return true }
    guard path.count > 1, let relationship = property.relationship else { return false }
    let destination = try store.entity(named: relationship.destination)
    return try hasList(path.dropFirst(), of: destination, in: store)
  }

  /// A value that a condition tests.
  private struct Operand {
    var value: QueryExpression
    var isOptional: Bool

    /// Returns the value of an object that a relationship may refer to.
    func reached(from owner: QueryExpression, variable: Int) -> Operand {
      Operand(value: .map(owner, variable: variable, body: value), isOptional: true)
    }
  }

  private static func test(
    _ operand: Operand,
    _ test: Test,
    _ text: String,
    _ property: StoreProperty,
    _ entity: StoreEntity,
    _ store: OpenedStore
  ) throws -> QueryExpression {
    let present = operand.isOptional ? QueryExpression.unwrap(operand.value) : operand.value
    switch test {
    case .contains:
      guard property.attributeType == .string || property.attributeType == .url else {
        throw CommandFailure(
          "\(entity.name).\(property.name) is not a string; ~ tests whether a string contains "
            + "another"
        )
      }
      return .text(.localizedStandardContains, present, .constant(.string(text)))
    case .compare(let comparison):
      let value = try value(text, property, entity, store, isOptional: operand.isOptional)
      let isEquality = comparison == .equal || comparison == .notEqual
      return .compare(comparison, isEquality ? operand.value : present, .constant(value))
    }
  }

  private static func value(
    _ text: String,
    _ property: StoreProperty,
    _ entity: StoreEntity,
    _ store: OpenedStore,
    isOptional: Bool
  ) throws -> StoreValue {
    if isOptional, text == "nil" { return .null }
    if property.isToOne { return .identifier(try ObjectName.identifier(text, in: store)) }
    switch property.attributeType {
    case .string, .url: return .string(text)
    case .date: return try read("\"\(text.count == 10 ? text + "T00:00:00Z" : text)\"")
    case .uuid, .decimal: return try read(RowText.quoted(text))
    case .double, .float:
      // An integer is also parsed here.
      guard let number = Double(text) else { return try read(text) }
      return .double(number)
    case .codable, .data, nil:
      throw CommandFailure(
        "\(entity.name).\(property.name) cannot be compared with a value on the command line"
      )
    default: return try read(text)
    }

    func read(_ json: String) throws -> StoreValue {
      do {
        return try RowText.value(json, as: property, in: entity)
      } catch {
        let (type, value) = property.attributeType?.words ?? ("a value", "one")
        throw CommandFailure(
          "\(entity.name).\(property.name) is \(type); '\(text)' is not \(value)"
        )
      }
    }
  }
}

extension AttributeType {
  /// The type and its values, for messages.
  fileprivate var words: (type: String, value: String) {
    switch self {
    case .bool: ("a Boolean", "true or false")
    case .int8, .int16, .int32, .int64: ("an \(rawValue.capitalized)", "an integer in its range")
    case .uint8, .uint16, .uint32, .uint64:
      ("a UInt\(rawValue.dropFirst(4))", "an integer in its range")
    case .float, .double: ("a \(rawValue.capitalized)", "a number")
    case .decimal: ("a Decimal", "a number")
    case .date: ("a date", "a date such as 2026-05-01")
    case .uuid: ("a UUID", "a UUID")
    case .string, .url, .data, .codable: ("a \(rawValue)", "a value of that type")
    }
  }
}

extension Substring {
  /// The string without blanks at its ends.
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
