/// A test of the rows of a table that reads one column alone.
///
/// Types rather than closures where rows are many: a closure is called for each row, and once more for
/// each list or optional that it went through.
protocol ColumnTest {
  /// Whether the row of a slot passes.
  func passes(_ slot: Int) -> Bool

  /// Leaves those of some slots whose rows pass.
  func narrow(_ slots: inout [Int32])
}

extension ColumnTest {
  /// Goes through slots without a branch that depends on a row.
  @inline(__always)
  fileprivate func narrowInPlace(_ slots: inout [Int32]) {
    let count = slots.withUnsafeMutableBufferPointer { slots in
      var kept = 0
      for place in slots.indices {
        let slot = slots[place]
        slots[kept] = slot
        kept += passes(Int(slot)) ? 1 : 0
      }
      return kept
    }
    slots.removeLast(slots.count - count)
  }
}

/// Whether a whole number lies between two, and is there.
struct WholeNumberTest: ColumnTest {
  let values: [Int64]
  let nulls: Bitmap
  let low: Int64
  let high: Int64

  @inline(__always)
  func passes(_ slot: Int) -> Bool {
    let value = values[slot]
    return value >= low && value <= high && !nulls.contains(slot)
  }

  func narrow(_ slots: inout [Int32]) { narrowInPlace(&slots) }
}

/// Whether a floating-point number lies between two, and is there.
struct RealNumberTest: ColumnTest {
  let values: [Double]
  let nulls: Bitmap
  let low: Double
  let high: Double

  @inline(__always)
  func passes(_ slot: Int) -> Bool {
    let value = values[slot]
    return value >= low && value <= high && !nulls.contains(slot)
  }

  func narrow(_ slots: inout [Int32]) { narrowInPlace(&slots) }
}

/// Any other test.
struct OtherColumnTest: ColumnTest {
  let test: (Int) -> Bool

  init(_ test: @escaping (Int) -> Bool) { self.test = test }

  func passes(_ slot: Int) -> Bool { test(slot) }

  func narrow(_ slots: inout [Int32]) { narrowInPlace(&slots) }
}
