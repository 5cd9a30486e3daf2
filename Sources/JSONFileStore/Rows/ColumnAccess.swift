/// Direct access to the values of a column by slot, valid within the call that provides it.
///
/// Reading a value directly needs no reference counting, while reading it through the column does.
enum ColumnAccess {
  /// The bits of the slots without a value.
  typealias Nulls = UnsafeBufferPointer<UInt64>

  case integers(UnsafeBufferPointer<Int64>, Nulls)
  case bools(UnsafeBufferPointer<Int64>, Nulls)
  case doubles(UnsafeBufferPointer<Double>, Nulls)
  case dates(UnsafeBufferPointer<Double>, Nulls)
  case strings(UnsafeBufferPointer<String>, Nulls)
  /// No direct access to the column.
  case none

  /// Returns whether there is a value, according to the bits of slots without one.
  @inline(__always)
  static func hasValue(_ slot: Int, _ nulls: Nulls) -> Bool {
    let word = slot >> 6
    return word >= nulls.count || nulls[word] >> UInt64(slot & 63) & 1 == 0
  }

  /// Returns whether there is no value, or `nil` if only the column can tell.
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

/// Direct access to the rows of a table by slot, valid within the call that provides it.
struct RowAccess {
  let keys: UnsafeBufferPointer<Int64>
  /// The columns, one for each property.
  let columns: UnsafeBufferPointer<ColumnAccess>
}

extension Table {
  /// The number of columns with direct access; the others are read through the column.
  ///
  /// Each is borrowed within the call of the previous one, which takes 3 KB of stack without
  /// optimization.
  private static let mostAccessedColumns = 32

  /// Provides access to the keys and the values of all rows.
  func withDirectAccess<Failure: Error>(
    _ body: (RowAccess) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = UnsafeMutableBufferPointer<ColumnAccess>.allocate(capacity: columns.count)
    buffer.initialize(repeating: .none)
    defer { buffer.deallocate() }
    try withDirectAccess(from: 0, to: buffer) { () throws(Failure) in
      try keys.withUnsafeBufferPointer { (keys) throws(Failure) in
        try body(RowAccess(keys: keys, columns: UnsafeBufferPointer(buffer)))
      }
    }
  }

  /// Borrows one column after another, each within the call of the previous one.
  private func withDirectAccess<Failure: Error>(
    from index: Int,
    to buffer: UnsafeMutableBufferPointer<ColumnAccess>,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    guard index < min(columns.count, Self.mostAccessedColumns) else { return try body() }
    try columns[index].withDirectAccess { (column) throws(Failure) in
      buffer[index] = column
      try withDirectAccess(from: index + 1, to: buffer, body)
    }
  }
}
