extension QueryExpression {
  /// The maximum nesting depth of expressions.
  ///
  /// All code that processes an expression recurses through it, on the stack of a thread that may
  /// have 512 KB. A list of conditions is one level, regardless of its length. Do not create deeper
  /// expressions: even the release of an expression takes stack for each level.
  package static let maximumDepth = 64

  /// Returns whether expressions nest more than a number of levels deep.
  ///
  /// - Complexity: O(*n*), where *n* is the number of expressions down to the limit.
  package func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .constant, .element: limit < 0
    case .property(let base, _): limit < 0 || base.isDeeper(than: limit - 1)
    case .compare(_, let left, let right):
      limit < 0 || left.isDeeper(than: limit - 1) || right.isDeeper(than: limit - 1)
    default: limit < 0 || children.contains { $0.isDeeper(than: limit - 1) }
    }
  }

  /// Throws ``DataStoreError/invalidPredicate`` for an expression that nests too deeply.
  package func checkDepth() throws {
    guard isDeeper(than: Self.maximumDepth) else { return }
    throw DataStoreError(.invalidPredicate, Self.tooDeep)
  }

  /// The error message for a predicate or an expression that nests too deeply.
  package static let tooDeep =
    "the predicate nests more than \(maximumDepth) levels deep; combine conditions in lists, with "
    + "Predicate(all:) and Predicate(any:), instead of nesting them"
}

extension StoreQuery {
  /// Throws ``DataStoreError/invalidPredicate`` if the filter or a sort term nests too deeply.
  package func checkDepth() throws {
    try filter?.checkDepth()
    for term in sort { try term.value.checkDepth() }
  }

  /// The number of rows up to the end of the window, at most `Int.max`, or `nil` without a limit.
  package var windowEnd: Int? { limit.map { max(offset, 0).addingClamped(max($0, 0)) } }
}

extension Int {
  /// Returns the sum with another number, clamped to the range of the type.
  package func addingClamped(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }
}
