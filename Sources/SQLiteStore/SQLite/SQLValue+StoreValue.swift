import Foundation
import SQLTranslation
import StoreProtocol
import StructuredText

/// The stored form of an attribute's values; Documentation/SQLiteFormat.md has the table.
extension SQLValue {
  /// A value that does not fit its attribute.
  struct AttributeMismatch: Error {
    let reason: String
  }

  /// Creates the stored form of a value of an attribute.
  ///
  /// - Throws: ``AttributeMismatch`` if the value does not have the attribute's type.
  init(_ value: StoreValue, as type: AttributeType) throws {
    switch (type, value) {
    case (_, .null): self = .null
    case (.codable, _): self = .text(try Self.json(value))
    case (.bool, .bool(let flag)): self = .integer(flag ? 1 : 0)
    case (.uint64, .unsigned(let number)): self = .init(number)
    case (_, .integer(let number)) where type.isInteger: self = .integer(number)
    case (.double, .double(let number)), (.float, .double(let number)):
      self = .init(exactly: number)
    case (.date, .date(let date)): self = .init(exactly: date.timeIntervalSinceReferenceDate)
    case (.decimal, .decimal(let number)): self = .text(DecimalText.encoded(number))
    case (.string, .string(let text)), (.url, .string(let text)): self = .text(text)
    case (.uuid, .uuid(let uuid)): self = .text(uuid.text)
    case (.data, .data(let data)): self = .blob(data)
    default: self = try Self.converted(value, to: type)
    }
  }

  /// Converts values of another type that are the same number.
  private static func converted(_ value: StoreValue, to type: AttributeType) throws -> SQLValue {
    let number: StoreValue? =
      switch type {
      case .double, .float: Double(storeValue: value).map(StoreValue.double)
      case .decimal: Decimal(storeValue: value).map(StoreValue.decimal)
      case .bool: Bool(storeValue: value).map(StoreValue.bool)
      case .uint64: UInt64(storeValue: value).map(\.storeValue)
      default: type.isInteger ? Int64(storeValue: value).map(StoreValue.integer) : nil
      }
    guard let number, number.kindName != value.kindName else {
      throw AttributeMismatch(
        reason: "\(value.kindName) does not fit an attribute of type \(type.rawValue)"
      )
    }
    return try SQLValue(number, as: type)
  }

  private static func json(_ value: StoreValue) throws -> String {
    do {
      return try JSONText.encoded(value)
    } catch let error as JSONText.NotStorable {
      throw AttributeMismatch(reason: "the value cannot be stored: \(error.reason)")
    }
  }

  /// Whether SQL compares the value with others of its column as Swift does.
  var isExact: Bool {
    switch self {
    case .text(let text): ExactText.isComposed(text)
    case .blob: false
    case .null, .integer, .real: true
    }
  }
}

extension SQLRow {
  /// Returns the value of an attribute's column.
  ///
  /// - Returns: The value, or `nil` if the column has content that the store never writes there.
  func value(at column: Int, as type: AttributeType) -> StoreValue? {
    let storage = storage(at: column)
    if storage == .null { return .null }
    switch type {
    case .bool:
      guard storage == .integer else { return nil }
      return Bool(storeValue: .integer(integer(at: column))).map(StoreValue.bool)
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
      return storage == .integer ? .integer(integer(at: column)) : nil
    case .uint64:
      if storage == .integer { return .integer(integer(at: column)) }
      return storage == .blob ? bits(at: column).map(StoreValue.unsigned) : nil
    case .float, .double: return exactNumber(at: column).map(StoreValue.double)
    case .date:
      return exactNumber(at: column).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .data: return storage == .blob ? .data(data(at: column)) : nil
    case .string, .url: return storage == .text ? text(at: column).map(StoreValue.string) : nil
    case .decimal, .uuid, .codable:
      guard storage == .text, let text = text(at: column) else { return nil }
      return Self.parsed(text, as: type)
    }
  }

  private static func parsed(_ text: String, as type: AttributeType) -> StoreValue? {
    switch type {
    case .decimal: DecimalText.decoded(text).map(StoreValue.decimal)
    case .uuid: UUID(text: text).map(StoreValue.uuid)
    default: try? JSONText.decoded(text)
    }
  }
}
