import Foundation
import PostgreSQLClient
import SQLTranslation
import StoreProtocol
import StructuredText

/// The representation of a property's values in a column.
enum ColumnKind: Sendable {
  case bool, integer, unsigned, double, date, decimal, text, data, uuid, json
  /// The key of a row of an entity.
  case reference(StoreEntity)
  /// The keys of rows of an entity, in order.
  case list(StoreEntity)

  /// Creates the kind of a property's column.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the destination of a relationship.
  init(_ property: StoreProperty, in schema: StoreSchema) throws {
    switch property.kind {
    case .attribute(let type): self.init(type)
    case .toOne(let relationship): self = .reference(try schema.destination(of: relationship))
    case .toMany(let relationship): self = .list(try schema.destination(of: relationship))
    }
  }

  /// Creates the kind of an attribute's column.
  init(_ type: AttributeType) {
    switch type {
    case .bool: self = .bool
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: self = .integer
    case .uint64: self = .unsigned
    case .float, .double: self = .double
    case .decimal: self = .decimal
    case .string, .url: self = .text
    case .date: self = .date
    case .data: self = .data
    case .uuid: self = .uuid
    case .codable: self = .json
    }
  }

  /// The type of the column.
  var type: String {
    switch self {
    case .bool: "boolean"
    case .integer, .reference: "int8"
    case .unsigned, .decimal: "numeric"
    case .double, .date: "float8"
    case .text: "text COLLATE \"C\""
    case .data: "bytea"
    case .uuid: "uuid"
    case .json: "json"
    case .list: "int8[]"
    }
  }

  /// The type of a parameter with many values.
  var arrayType: String {
    switch self {
    case .text, .list: "text[]"
    case .json: Self.jsonArray
    default: type + "[]"
    }
  }

  /// The type of a parameter with many JSON texts.
  ///
  /// Citus does not cast each of them in an `UPDATE`: a cast to JSON is not immutable.
  static let jsonArray = "text[]::json[]"

  /// Returns the expression for the value of an element of the parameter.
  func element(_ name: String) -> String {
    if case .list = self { return "string_to_array(\(name), ',')::int8[]" }
    return name
  }

  /// Returns the expression that reads a column.
  func selected(_ name: String) -> String {
    if case .json = self { return name + "::text" }
    return name
  }

  /// Returns the values of many rows as one parameter, or `nil` if one has another type.
  func parameter(_ values: [StoreValue]) throws -> Parameter? {
    switch self {
    case .bool:
      return parameter(values) { if case .bool(let value) = $0 { value } else { nil } }
    case .integer:
      return parameter(values) { if case .integer(let value) = $0 { value } else { nil } }
    case .unsigned:
      return parameter(values) {
        switch $0 {
        case .integer(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        default: nil
        }
      }
    case .double:
      return parameter(values) { if case .double(let value) = $0 { value } else { nil } }
    case .date:
      return parameter(values) {
        if case .date(let value) = $0 { value.timeIntervalSinceReferenceDate } else { nil }
      }
    case .decimal:
      return parameter(values) { if case .decimal(let value) = $0 { value } else { nil } }
    case .text:
      return parameter(values) {
        if case .string(let value) = $0 {
          TextEscape.escaped(ExactText.composed(value))
        } else {
          nil
        }
      }
    case .data: return parameter(values) { if case .data(let value) = $0 { value } else { nil } }
    case .uuid: return parameter(values) { if case .uuid(let value) = $0 { value } else { nil } }
    case .json: return try parameter(values) { try JSONText.encoded($0) }
    case .reference:
      return parameter(values) {
        if case .identifier(let value) = $0 { value.integerKey } else { nil }
      }
    case .list:
      return parameter(values) { value -> String? in
        guard case .identifiers(let list) = value else { return nil }
        return list.compactMap { $0.integerKey.map(String.init) }.joined(separator: ",")
      }
    }
  }

  private func parameter<Value: PostgreSQLValue>(
    _ values: [StoreValue],
    _ convert: (StoreValue) throws -> Value?
  ) rethrows -> Parameter? {
    var elements: [Value?] = []
    elements.reserveCapacity(values.count)
    for value in values {
      if value.isNull {
        elements.append(nil)
      } else {
        guard let element = try convert(value) else { return nil }
        elements.append(element)
      }
    }
    return Parameter(array: elements)
  }
}

extension StoreSchema {
  fileprivate func destination(of relationship: StoreRelationship) throws -> StoreEntity {
    guard let destination = entity(named: relationship.destination) else {
      throw DataStoreError(
        .schemaMismatch,
        "the schema lacks the destination of a relationship",
        entity: relationship.destination
      )
    }
    return destination
  }
}
