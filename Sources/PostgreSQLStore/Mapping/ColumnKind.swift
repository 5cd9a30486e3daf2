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
    case .toOne(let relationship):
      self = .reference(try schema.requiredEntity(relationship.destination))
    case .toMany(let relationship):
      self = .list(try schema.requiredEntity(relationship.destination))
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

  /// The entity of the rows that a relationship refers to, or `nil` for an attribute.
  var destination: StoreEntity? {
    switch self {
    case .reference(let entity), .list(let entity): entity
    default: nil
    }
  }

  /// Returns the type of a parameter with a value, or with many if the suffix is that of an array.
  ///
  /// Citus does not cast each JSON text in an `UPDATE`: a cast to JSON is not immutable.
  func parameterType(_ suffix: String) -> String {
    switch self {
    case .text, .list: "text" + suffix
    case .json: "text\(suffix)::json\(suffix)"
    default: type + suffix
    }
  }

  /// Returns the expression for a value of the parameter.
  func element(_ name: String) -> String {
    if case .list = self { return "string_to_array(\(name), ',')::int8[]" }
    return name
  }

  /// Returns the expression that reads a column.
  func selected(_ name: String) -> String {
    if case .json = self { return name + "::text" }
    return name
  }

  /// The kinds of columns whose values are read and written without a `StoreValue`.
  enum Plain: UInt8 {
    case other, integer, double, date, text
  }

  var plain: Plain {
    switch self {
    case .integer: .integer
    case .double: .double
    case .date: .date
    case .text: .text
    default: .other
    }
  }

  struct ResultType {
    let name: String
    let typeID: UInt32

    static let integer = ResultType(name: "int8", typeID: Int64.typeID)
    static let text = ResultType(name: "text", typeID: String.typeID)
    static let texts = ResultType(name: "text[]", typeID: String.arrayTypeID)
  }

  /// The type of ``selected(_:)``.
  var result: ResultType {
    switch self {
    case .text, .json: .text
    case .list: ResultType(name: type, typeID: Int64.arrayTypeID)
    default: ResultType(name: type, typeID: parameter.typeID)
    }
  }

  /// The type of the values of parameters.
  private var parameter: any PostgreSQLValue.Type {
    switch self {
    case .bool: Bool.self
    case .integer, .reference: Int64.self
    case .unsigned, .decimal: Decimal.self
    case .double, .date: Double.self
    case .text, .json, .list: String.self
    case .data: Data.self
    case .uuid: UUID.self
    }
  }

  /// Returns an empty array for the values of many rows.
  func makeArray() -> ArrayBuilder { ArrayBuilder(of: parameter) }

  /// Appends the value of an attribute to an array, unless it has another type.
  ///
  /// - Returns: Whether the value has the type.
  /// - Throws: `JSONText.NotStorable` for a value that JSON cannot contain.
  func append(_ value: StoreValue, to array: inout ArrayBuilder) throws -> Bool {
    switch (self, value) {
    case _ where value.isNull: array.appendNull()
    case (.bool, .bool(let flag)): array.append(flag)
    case (.integer, .integer(let number)): array.append(number)
    case (.unsigned, .integer(let number)): array.append(Decimal(number))
    case (.unsigned, .unsigned(let number)): array.append(Decimal(number))
    case (.double, .double(let number)): array.append(number)
    case (.date, .date(let date)): array.append(date.timeIntervalSinceReferenceDate)
    case (.decimal, .decimal(let number)): array.append(number)
    case (.text, .string(let text)): array.append(TextEscape.escaped(ExactText.composed(text)))
    case (.data, .data(let data)): array.append(data)
    case (.uuid, .uuid(let uuid)): array.append(uuid)
    case (.json, _): array.append(try JSONText.encoded(value))
    default: return false
    }
    return true
  }
}
