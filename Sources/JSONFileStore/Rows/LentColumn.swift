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
