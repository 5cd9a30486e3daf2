/// A column while the rows of a table are being read: its values are added in place.
struct ColumnDraft {
  private enum Kind {
    case integers, doubles, strings, others
  }

  let type: CellType
  private let kind: Kind
  private var nulls = Bitmap()
  private var integers: [Int64] = []
  private var doubles: [Double] = []
  private var strings: [String] = []
  /// The values of a type that has no array here.
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

  /// Reads the value that comes next in a text, and adds it for the row of a slot.
  @inline(__always)
  mutating func append(from scanner: inout JSONScanner, at slot: Int) throws(JSONError) {
    if try scanner.readNull() { return append(.null, at: slot) }
    switch type {
    case .string: strings.append(try scanner.readString())
    case .integer(let range): integers.append(try scanner.readInteger(in: range))
    case .double: doubles.append(try scanner.readAnyDouble())
    case .date: doubles.append(try scanner.readDate())
    case .reference: integers.append(try scanner.readInteger(in: 1...Int64.max))
    case .bool: integers.append(try scanner.readBool() ? 1 : 0)
    default: others.append(try scanner.readOtherCell(type))
    }
  }

  /// Adds a value for the row of a slot.
  mutating func append(_ cell: Cell, at slot: Int) {
    switch (kind, cell) {
    case (.integers, .integer(let value)): integers.append(value)
    case (.doubles, .double(let value)): doubles.append(value)
    case (.strings, .string(let value)): strings.append(value)
    case (.others, _): others.append(cell)
    default: appendNull(at: slot)
    }
  }

  private mutating func appendNull(at slot: Int) {
    nulls.insert(slot)
    switch kind {
    case .integers: integers.append(0)
    case .doubles: doubles.append(0)
    case .strings: strings.append("")
    case .others: break
    }
  }

  /// Takes back the value of a slot and those behind it, where there are any.
  mutating func remove(from slot: Int) {
    nulls.remove(slot)
    switch kind {
    case .integers: integers.removeLast(max(integers.count - slot, 0))
    case .doubles: doubles.removeLast(max(doubles.count - slot, 0))
    case .strings: strings.removeLast(max(strings.count - slot, 0))
    case .others: others.removeLast(max(others.count - slot, 0))
    }
  }

  /// The column with all values that were added.
  func column() -> Column {
    guard kind == .others else {
      return Column(
        type: type,
        nulls: nulls,
        integers: integers,
        doubles: doubles,
        strings: strings
      )
    }
    var column = Column(type: type)
    column.reserve(others.count)
    for (slot, cell) in others.enumerated() { column.append(cell, at: slot) }
    return column
  }
}
