import Foundation
import StoreProtocol

/// A column while the rows of a table are being read: its values are written in place.
///
/// A value is written at a slot below the number of the last call of ``grow(to:)``.
struct ColumnDraft: ~Copyable {
  private enum Kind {
    case integers, doubles, strings, others
  }

  private let type: CellType
  private let kind: Kind
  private var nulls = Bitmap()
  private var integers = GrowingMemory<Int64>()
  private var doubles = GrowingMemory<Double>()
  private var strings = GrowingMemory<String>()
  /// The values of a type without its own memory here.
  private var others: [Cell] = []

  init(type: CellType) {
    self.type = type
    kind =
      switch type {
      case .bool, .integer, .reference: .integers
      case .double, .date: .doubles
      case .string: .strings
      default: .others
      }
  }

  /// Allocates memory for a number of rows.
  mutating func grow(to count: Int) {
    switch kind {
    case .integers: integers.grow(to: count)
    case .doubles: doubles.grow(to: count)
    case .strings: strings.grow(to: count)
    case .others: break
    }
  }

  /// Reads the next value in a text, and writes it for the row of a slot.
  @inline(__always)
  mutating func read(from scanner: inout JSONScanner, at slot: Int) throws(JSONError) {
    switch type {
    case .integer(let range):
      if let value = scanner.readPlainInteger(), range.contains(value) {
        return integers.set(value, at: slot)
      }
    case .string:
      if let text = scanner.readPlainString() { return strings.set(text, at: slot) }
    case .double:
      if let value = scanner.readPlainDouble() { return doubles.set(value, at: slot) }
    case .date:
      if let value = scanner.readPlainDate() { return doubles.set(value, at: slot) }
    default: break
    }
    try readAny(from: &scanner, at: slot)
  }

  /// Reads a value in any form that the format allows.
  private mutating func readAny(
    from scanner: inout JSONScanner,
    at slot: Int
  ) throws(JSONError) {
    write(try scanner.readCell(type), at: slot)
  }

  /// Sets the value of a row if the column stores it unchanged, or returns `false` otherwise.
  @inline(__always)
  mutating func take(_ value: StoreValue, at slot: Int) -> Bool {
    switch (type, value) {
    case (.integer(let range), .integer(let number)) where range.contains(number):
      integers.set(number, at: slot)
    case (.double, .double(let number)): doubles.set(number, at: slot)
    case (.date, .date(let date)): doubles.set(date.timeIntervalSinceReferenceDate, at: slot)
    case (.string, .string(let text)): strings.set(text, at: slot)
    default: return false
    }
    return true
  }

  mutating func write(_ cell: Cell, at slot: Int) {
    switch (kind, cell) {
    case (.integers, .integer(let value)): integers.set(value, at: slot)
    case (.doubles, .double(let value)): doubles.set(value, at: slot)
    case (.strings, .string(let value)): strings.set(value, at: slot)
    case (.others, _): others.append(cell)
    default: writeNull(at: slot)
    }
  }

  private mutating func writeNull(at slot: Int) {
    nulls.insert(slot)
    switch kind {
    case .integers: integers.set(0, at: slot)
    case .doubles: doubles.set(0, at: slot)
    case .strings: strings.set("", at: slot)
    case .others: break
    }
  }

  /// Returns the value of a row that was written.
  func cell(at slot: Int) -> Cell {
    if nulls.contains(slot) { return .null }
    return switch kind {
    case .integers: .integer(integers.value(at: slot))
    case .doubles: .double(doubles.value(at: slot))
    case .strings: .string(strings.value(at: slot))
    case .others: others[slot]
    }
  }

  /// Removes the value of a slot, if there is one.
  mutating func remove(at slot: Int) {
    nulls.remove(slot)
    others.removeLast(max(others.count - slot, 0))
  }

  /// Returns the column of the first rows; the draft cannot be used afterward.
  mutating func column(of count: Int) -> Column {
    guard kind == .others else {
      return Column(
        type: type,
        nulls: nulls,
        integers: kind == .integers ? integers.take(count) : [],
        doubles: kind == .doubles ? doubles.take(count) : [],
        strings: kind == .strings ? strings.take(count) : []
      )
    }
    var column = Column(type: type)
    for (slot, cell) in others.enumerated() { column.append(cell, at: slot) }
    return column
  }
}
