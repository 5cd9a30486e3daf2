/// Keys of rows, of which those that follow each other are one range.
package struct KeyRanges: Hashable, Sendable {
  /// The ranges, in rising order.
  package private(set) var ranges: [ClosedRange<Int64>] = []

  /// Takes keys in any order; none may come twice.
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

  /// The number of keys.
  package var count: Int { ranges.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound) + 1 } }

  /// All keys, rising.
  package var keys: [Int64] { ranges.flatMap { Array($0) } }

  /// The ranges as a list: a key, or a list of the first and the last.
  package var storeValue: StoreValue {
    .array(
      ranges.map { range in
        range.count == 1
          ? .integer(range.lowerBound)
          : .array([.integer(range.lowerBound), .integer(range.upperBound)])
      }
    )
  }

  /// Reads such a list; nil for anything else, also for more keys than a save can have.
  package init?(storeValue: StoreValue) {
    guard case .array(let entries) = storeValue else { return nil }
    var last: Int64 = 0
    var total: Int64 = 0
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
      total += range.upperBound - range.lowerBound + 1
      guard total <= Self.mostKeys else { return nil }
      ranges.append(range)
    }
  }

  /// The greatest key that a file may name.
  private static let greatestKey: Int64 = 1 << 62
  /// A file that claims more is damaged, and must not take all memory.
  private static let mostKeys: Int64 = 1 << 31
}
