import Foundation
import StoreFiles
import StoreProtocol

/// The stored form of one value in columns and files.
///
/// References are row keys, which are unique in a store; their tables are determined when they are
/// read.
enum Cell: Sendable {
  case null
  /// A Boolean, an integer, or the key of a to-one relationship.
  case integer(Int64)
  /// A floating-point number, or a date as seconds since 2001.
  case double(Double)
  case string(String)
  /// The keys of a to-many relationship.
  case keys([Int64])
  /// Any other value, unchanged.
  case value(StoreValue)
  /// Data in a separate file.
  case file(FileReference)
}

/// The storage and text format of a property's values.
enum CellType: Sendable, Hashable {
  case bool
  case integer(ClosedRange<Int64>)
  case double, date, string, decimal, data, uuid, unsigned, codable
  case reference, references
  /// Data that may be in files; columns do not order it.
  case external

  init(_ property: StoreProperty, in entity: StoreEntity) {
    switch property.kind {
    case .toOne: self = .reference
    case .toMany: self = .references
    // Even without the option, which the property may have had when its values were written.
    case .attribute(.data) where !entity.hasKey(property): self = .external
    case .attribute(let type): self = CellType(type)
    }
  }

  private init(_ type: AttributeType) {
    switch type {
    case .bool: self = .bool
    case .int8: self = .integer(Int64(Int8.min)...Int64(Int8.max))
    case .int16: self = .integer(Int64(Int16.min)...Int64(Int16.max))
    case .int32: self = .integer(Int64(Int32.min)...Int64(Int32.max))
    case .int64: self = .integer(Int64.min...Int64.max)
    case .uint8: self = .integer(0...Int64(UInt8.max))
    case .uint16: self = .integer(0...Int64(UInt16.max))
    case .uint32: self = .integer(0...Int64(UInt32.max))
    case .uint64: self = .unsigned
    case .float, .double: self = .double
    case .decimal: self = .decimal
    case .string, .url: self = .string
    case .date: self = .date
    case .data: self = .data
    case .uuid: self = .uuid
    case .codable: self = .codable
    }
  }

  /// Whether the cells are keys of rows.
  var isRelationship: Bool { self == .reference || self == .references }

  /// Returns the stored form of a value that is not a relationship.
  ///
  /// - Returns: The cell, or `nil` if the value does not fit the type.
  func cell(of value: StoreValue) -> Cell? {
    if value.isNull { return .null }
    switch (self, value) {
    case (.bool, _): return Bool(storeValue: value).map { .integer($0 ? 1 : 0) }
    case (.integer(let range), _):
      return Int64(storeValue: value).flatMap { range.contains($0) ? .integer($0) : nil }
    case (.unsigned, _): return UInt64(storeValue: value).map { .value($0.storeValue) }
    case (.double, _): return Double(storeValue: value).map { .double($0) }
    case (.date, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
    case (.string, .string(let text)): return .string(text)
    case (.decimal, _): return Decimal(storeValue: value).map { .value(.decimal($0)) }
    case (.data, .data), (.external, .data), (.uuid, .uuid), (.codable, _): return .value(value)
    default: return nil
    }
  }

  /// Returns the value of a cell that is not a relationship.
  @inline(__always)
  func value(of cell: Cell) -> StoreValue {
    switch (self, cell) {
    case (.bool, .integer(let number)): .bool(number != 0)
    case (_, .integer(let number)): .integer(number)
    case (.date, .double(let interval)):
      .date(Date(timeIntervalSinceReferenceDate: interval))
    case (_, .double(let number)): .double(number)
    case (_, .string(let text)): .string(text)
    case (_, .value(let value)): value
    case (_, .null), (_, .keys), (_, .file): .null
    }
  }
}

extension StoreEntity {
  /// Returns whether values of a property are indexed, or unique.
  fileprivate func hasKey(_ property: StoreProperty) -> Bool {
    property.isUnique
      || (uniquenessConstraints + indices).contains { $0.contains(property.name) }
  }
}
