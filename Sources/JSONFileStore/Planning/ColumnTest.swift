/// A test of the rows of a table that reads one column only.
///
/// It is created where the column's type is known, so that specialized code processes a block of
/// rows: a closure for single rows would be called for each, and again for each list.
struct ColumnTest {
  /// Whether the row of a slot passes.
  let passes: (Int) -> Bool
  /// Removes the slots whose rows do not pass.
  let narrow: (inout [Int32]) -> Void

  /// Tests whether a value is present and between two others.
  @inline(__always)
  init<Value: Comparable>(
    _ values: [Value],
    _ nulls: Bitmap,
    from low: Value,
    through high: Value
  ) {
    passes = { Self.isBetween(values[$0], from: low, through: high) && !nulls.contains($0) }
    narrow = { slots in
      Self.narrow(&slots) {
        Self.isBetween(values[$0], from: low, through: high) && !nulls.contains($0)
      }
    }
  }

  /// Performs any other test.
  init(_ passes: @escaping (Int) -> Bool) {
    self.passes = passes
    narrow = { Self.narrow(&$0, passes) }
  }

  @inline(__always)
  private static func isBetween<Value: Comparable>(
    _ value: Value,
    from low: Value,
    through high: Value
  ) -> Bool {
    value >= low && value <= high
  }

  /// Filters slots without a branch that depends on a row.
  @inline(__always)
  private static func narrow(_ slots: inout [Int32], _ passes: (Int) -> Bool) {
    let count = slots.withUnsafeMutableBufferPointer { slots in
      var kept = 0
      for index in slots.indices {
        let slot = slots[index]
        slots[kept] = slot
        kept += passes(Int(slot)) ? 1 : 0
      }
      return kept
    }
    slots.removeLast(slots.count - count)
  }
}
