import Foundation
import PostgreSQLClient
import StoreProtocol

/// A value of a statement's parameter or result.
public enum PostgreSQLField: Hashable, Sendable {
  /// No value.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer of any width.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A number of the type `numeric`.
  case decimal(Decimal)
  /// A string, or a value of the type `json`.
  case text(String)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)
}

extension PostgreSQLField: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .text(value) }

  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension PostgreSQLField {
  /// The types of the server whose values are strings in its protocol: `text`, `varchar`, `bpchar`,
  /// `name`, `json` and string literals.
  private static let texts: Set<UInt32> = [25, 1043, 1042, 19, 114, 705]

  /// Creates the value of a column in a row.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a column of another type.
  init(_ result: QueryResult, _ row: Int, _ column: Int) throws {
    let type = result.typeID(of: column)
    let value: PostgreSQLField? =
      switch type {
      case Bool.typeID: try result.value(row, column).map(PostgreSQLField.bool)
      case Int16.typeID: try result.value(row, column, as: Int16.self).map { .integer(Int64($0)) }
      case Int32.typeID: try result.value(row, column, as: Int32.self).map { .integer(Int64($0)) }
      case Int64.typeID: try result.integer(row, column).map(PostgreSQLField.integer)
      case Double.typeID: try result.double(row, column).map(PostgreSQLField.real)
      case Decimal.typeID: try result.value(row, column).map(PostgreSQLField.decimal)
      case Data.typeID: try result.value(row, column).map(PostgreSQLField.data)
      case UUID.typeID: try result.value(row, column).map(PostgreSQLField.uuid)
      case _ where Self.texts.contains(type):
        try result.value(row, column, as: String.self, stored: type).map(PostgreSQLField.text)
      default:
        throw DataStoreError(
          .unsupportedFeature,
          "the column \(result.columnNames[column]) has a type that is not read; add ::text to it"
        )
      }
    self = value ?? .null
  }

  /// The value as a parameter.
  var parameter: Parameter {
    switch self {
    case .null: .null
    case .bool(let value): Parameter(value)
    case .integer(let value): Parameter(value)
    case .real(let value): Parameter(value)
    case .decimal(let value): Parameter(value)
    case .text(let value): Parameter(value)
    case .data(let value): Parameter(value)
    case .uuid(let value): Parameter(value)
    }
  }
}

/// One row of a statement's result.
public struct PostgreSQLRow: Hashable, Sendable {
  /// The names of the columns, in order.
  public let columns: [String]
  /// The values, in the order of the columns.
  public let values: [PostgreSQLField]

  /// Returns the value of the first column with a name, or `nil` if there is no such column.
  ///
  /// - Complexity: O(*n*) in the columns.
  public subscript(column: String) -> PostgreSQLField? {
    columns.firstIndex(of: column).map { values[$0] }
  }

  /// Returns the value at a zero-based index, or `nil` if there is no such column.
  public subscript(index: Int) -> PostgreSQLField? {
    values.indices.contains(index) ? values[index] : nil
  }
}
