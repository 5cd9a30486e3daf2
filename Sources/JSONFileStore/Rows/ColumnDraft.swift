import Foundation

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

  // Values that the column stores unchanged; the methods return `false` for values that it stores
  // in another form.

  /// Sets the value of a row in a column of integers.
  @inline(__always)
  mutating func take(_ value: Int64, at slot: Int) -> Bool {
    guard case .integer(let range) = type, range.contains(value) else { return false }
    integers.set(value, at: slot)
    return true
  }

  /// Sets the value of a row in a column of floating-point numbers.
  @inline(__always)
  mutating func take(_ value: Double, at slot: Int) -> Bool {
    guard case .double = type else { return false }
    doubles.set(value, at: slot)
    return true
  }

  /// Sets the value of a row in a column of dates.
  @inline(__always)
  mutating func take(_ value: Date, at slot: Int) -> Bool {
    guard case .date = type else { return false }
    doubles.set(value.timeIntervalSinceReferenceDate, at: slot)
    return true
  }

  /// Sets the value of a row in a column of strings.
  @inline(__always)
  mutating func take(_ value: String, at slot: Int) -> Bool {
    guard case .string = type else { return false }
    strings.set(value, at: slot)
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
    column.reserve(others.count)
    for (slot, cell) in others.enumerated() { column.append(cell, at: slot) }
    return column
  }
}
