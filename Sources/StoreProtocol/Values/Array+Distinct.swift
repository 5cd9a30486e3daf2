extension Array where Element: Hashable {
  /// The elements without duplicates, each at its first position.
  // Inlinable: a generic function of another module takes a microsecond for a list of two.
  @inlinable
  package var withoutRepeats: [Element] {
    guard count > 1 else { return self }
    // Few elements are compared without a set.
    if count <= 8, indices.allSatisfy({ !self[..<$0].contains(self[$0]) }) { return self }
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
