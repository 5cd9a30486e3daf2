extension RandomAccessCollection where Index == Int {
  /// Finds where the second of two parts of the collection begins, by a binary search.
  ///
  /// - Parameter isInSecondPart: Whether an element is in the second part. All elements of the first
  ///   part come before those of the second.
  /// - Returns: The index of the first element of the second part, or the end if it is empty.
  @inlinable
  package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Sequence {
  /// Returns the smallest elements in order; equal ones stay in their order.
  ///
  /// It keeps them in order and visits each element once, because most elements are not among them.
  @inlinable
  package func smallest(
    _ count: Int,
    by precedes: (Element, Element) -> Bool
  ) -> [Element] {
    var kept: [Element] = []
    guard count > 0 else { return [] }
    for candidate in self {
      if kept.count == count {
        guard precedes(candidate, kept[count - 1]) else { continue }
        kept.removeLast()
      }
      kept.insert(candidate, at: kept.partitioningIndex { precedes(candidate, $0) })
    }
    return kept
  }
}
