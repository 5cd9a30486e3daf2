extension Array where Element: Hashable {
  /// The elements without duplicates, each at its first position.
  package var withoutRepeats: [Element] {
    guard count > 1 else { return self }
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
