/// A set of keys, as ascending ranges.
package struct KeyRanges: Hashable, Sendable {
  /// The ranges, in ascending order.
  package private(set) var ranges: [ClosedRange<Int64>] = []

  /// Creates a set of unique keys, which may be in any order.
  package init(_ keys: [Int64]) {
    var previous: Int64?
    let isSorted = keys.allSatisfy { key in
      defer { previous = key }
      return previous.map { $0 < key } ?? true
    }
    for key in isSorted ? keys : keys.sorted() {
      if let last = ranges.last, last.upperBound < .max, last.upperBound + 1 == key {
        ranges[ranges.count - 1] = last.lowerBound...key
      } else {
        ranges.append(key...key)
      }
    }
  }

  /// Splits keys into as many sets as groups need to hold them.
  package static func parts(of keys: [Int64]) -> [KeyRanges] {
    guard keys.count > mostKeys else { return [KeyRanges(keys)] }
    let sorted = keys.sorted()
    return stride(from: 0, to: sorted.count, by: mostKeys).map { start in
      KeyRanges(Array(sorted[start..<min(start + mostKeys, sorted.count)]))
    }
  }

  var count: Int { ranges.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound) + 1 } }

  /// The ranges as a list, each as a key or as a list of the first and the last key.
  package var storeValue: StoreValue {
    .array(
      ranges.map { range in
        range.count == 1
          ? .integer(range.lowerBound)
          : .array([.integer(range.lowerBound), .integer(range.upperBound)])
      }
    )
  }

  /// Creates a set from such a list, or returns `nil` for anything else.
  ///
  /// Ranges are not expanded, regardless of their length.
  package init?(storeValue: StoreValue) {
    guard case .array(let entries) = storeValue else { return nil }
    var last: Int64 = 0
    for entry in entries {
      let range: ClosedRange<Int64>
      switch entry {
      case .integer(let key): range = key...key
      case .array(let ends):
        guard ends.count == 2, case .integer(let first) = ends[0], case .integer(let end) = ends[1],
          first >= 1, first <= end
        else { return nil }
        range = first...end
      default: return nil
      }
      guard range.lowerBound > last, range.upperBound <= Self.greatestKey else { return nil }
      last = range.upperBound
      ranges.append(range)
    }
  }

  /// The greatest key that a file may contain.
  private static let greatestKey: Int64 = 1 << 62
  /// The maximum number of keys in a group that is written.
  private static let mostKeys = 1 << 24
}
