import Foundation
import StoreProtocol
import StructuredText

/// A known value as SQL compares it with the values of a column.
enum Operand {
  /// Compared by SQLite's operators, order included.
  case ordered(SQLValue)

  /// Compared for equality alone: the order of the stored form means nothing.
  case equatable(SQLValue)

  /// A value that no row can have.
  case foreign

  /// Says a value for a column, or is nil where SQL cannot compare the two as Swift does.
  init?(_ value: StoreValue, for content: ColumnMap.Content) {
    switch content {
    case .reference: self.init(reference: value)
    case .value(let type): self.init(value, as: type)
    case .order: return nil
    }
  }

  private init?(reference value: StoreValue) {
    guard case .identifier(let identifier) = value else { return nil }
    self = identifier.integerKey.map { .equatable(.integer($0)) } ?? .foreign
  }

  private init?(_ value: StoreValue, as type: AttributeType) {
    switch (type, value) {
    case (.bool, .bool(let truth)): self = .ordered(.integer(truth ? 1 : 0))
    case (.uint64, .unsigned(let number)): self = .ordered(SQLValue(number))
    case (_, .integer(let number)) where type.isInteger: self = .ordered(.integer(number))
    case (.double, .double(let number)) where !number.isNaN,
      (.float, .double(let number)) where !number.isNaN:
      self = .ordered(.real(number))
    case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
      self = .ordered(.real(date.timeIntervalSinceReferenceDate))
    case (.string, .string(let text)), (.url, .string(let text)):
      self = .ordered(.text(ExactText.composed(text)))
    case (.uuid, .uuid(let uuid)): self = .ordered(.text(uuid.uuidString))
    case (.data, .data(let data)): self = .ordered(.blob(data))
    case (.decimal, .decimal(let number)) where !number.isNaN:
      self = .equatable(.text(DecimalText.encoded(number)))
    default: return nil
    }
  }

  /// The value that SQL compares with, nil for a foreign one.
  var sqlValue: SQLValue? {
    switch self {
    case .ordered(let value), .equatable(let value): value
    case .foreign: nil
    }
  }
}
