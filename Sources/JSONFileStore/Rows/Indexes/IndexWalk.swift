/// Iterates over a part of an index run by run, where rows with equal values of the leading
/// properties are one run.
struct IndexWalk {
  private let index: TableIndex
  private let columns: [Column]
  /// The number of leading properties that determine a run.
  private let depth: Int
  private let isReversed: Bool
  private var rest: Range<SortedSlots.Position>

  init(
    _ index: TableIndex,
    _ columns: [Column],
    _ range: Range<SortedSlots.Position>,
    depth: Int,
    isReversed: Bool
  ) {
    self.index = index
    self.columns = columns
    self.depth = depth
    self.isReversed = isReversed
    rest = range
  }

  /// A row of the next run, or `nil` at the end.
  var head: Int? {
    guard !rest.isEmpty else { return nil }
    return Int(index.slots[isReversed ? index.slots.previous(rest.upperBound) : rest.lowerBound])
  }

  /// Returns the next run.
  mutating func next() -> Range<SortedSlots.Position>? {
    guard let head else { return nil }
    let run = isReversed ? last(head) : first(head)
    rest = isReversed ? rest.lowerBound..<run.lowerBound : run.upperBound..<rest.upperBound
    return run
  }

  // In most indexes, most runs contain one row: the neighbor is tested before all others.

  private func first(_ head: Int) -> Range<SortedSlots.Position> {
    var end = index.slots.next(rest.lowerBound)
    if end < rest.upperBound, isEqual(Int(index.slots[end]), head) {
      end = index.slots.partition(from: end) { index.order($0, head, columns, depth: depth) <= 0 }
    }
    return rest.lowerBound..<min(end, rest.upperBound)
  }

  private func last(_ head: Int) -> Range<SortedSlots.Position> {
    var start = index.slots.previous(rest.upperBound)
    if start > rest.lowerBound, isEqual(Int(index.slots[index.slots.previous(start)]), head) {
      start = min(
        start,
        index.slots.partition { index.order($0, head, columns, depth: depth) < 0 }
      )
    }
    return max(start, rest.lowerBound)..<rest.upperBound
  }

  private func isEqual(_ a: Int, _ b: Int) -> Bool {
    index.order(a, b, columns, depth: depth) == 0
  }
}
