/// The values of a column by slot where they lie, valid within the call that lends them.
///
/// Reading them there counts no reference, as reading them through the column does for each.
enum LentColumn {
  /// The bits of the slots that have no value.
  typealias Nulls = UnsafeBufferPointer<UInt64>

  case integers(UnsafeBufferPointer<Int64>, Nulls)
  case bools(UnsafeBufferPointer<Int64>, Nulls)
  case doubles(UnsafeBufferPointer<Double>, Nulls)
  case dates(UnsafeBufferPointer<Double>, Nulls)
  case strings(UnsafeBufferPointer<String>, Nulls)
  /// The column is not lent.
  case none

  /// Whether there is a value, by the bits of those that have none.
  @inline(__always)
  static func hasValue(_ slot: Int, _ nulls: Nulls) -> Bool {
    let word = slot >> 6
    return word >= nulls.count || nulls[word] >> UInt64(slot & 63) & 1 == 0
  }

  /// Whether there is no value; nil where that has to be asked of the column.
  @inline(__always)
  func isNull(_ slot: Int) -> Bool? {
    switch self {
    case .integers(_, let nulls), .bools(_, let nulls), .doubles(_, let nulls),
      .dates(_, let nulls), .strings(_, let nulls):
      !Self.hasValue(slot, nulls)
    case .none: nil
    }
  }
}

/// The rows of a table by slot where they lie, valid within the call that lends them.
struct LentRows {
  let keys: UnsafeBufferPointer<Int64>
  /// One for each property.
  let columns: UnsafeBufferPointer<LentColumn>
}

extension Table {
  /// The number of columns that are lent; the others are read through the column.
  ///
  /// Each is borrowed within the call of the one before, which takes 3 KB of stack without
  /// optimization.
  private static let mostLentColumns = 32

  /// Lends the keys and the values of all rows.
  func lend<Failure: Error>(
    _ body: (LentRows) throws(Failure) -> Void
  ) throws(Failure) {
    let places = UnsafeMutableBufferPointer<LentColumn>.allocate(capacity: columns.count)
    places.initialize(repeating: .none)
    defer { places.deallocate() }
    try lend(from: 0, to: places) { () throws(Failure) in
      try keys.withUnsafeBufferPointer { (keys) throws(Failure) in
        try body(LentRows(keys: keys, columns: UnsafeBufferPointer(places)))
      }
    }
  }

  /// Borrows one column after the other, each within the call of the one before.
  private func lend<Failure: Error>(
    from index: Int,
    to places: UnsafeMutableBufferPointer<LentColumn>,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    guard index < min(columns.count, Self.mostLentColumns) else { return try body() }
    try columns[index].lend { (column) throws(Failure) in
      places[index] = column
      try lend(from: index + 1, to: places, body)
    }
  }
}
