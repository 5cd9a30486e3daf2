extension Dictionary {
  /// Creates a dictionary of pairs, with the first of those with equal keys.
  @inlinable
  package init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// Creates a dictionary of pairs, with the last of those with equal keys.
  @inlinable
  package init(lastOf pairs: some Sequence<(Key, Value)>) {
    self.init(pairs, uniquingKeysWith: { _, last in last })
  }
}
