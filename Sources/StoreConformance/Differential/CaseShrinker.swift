import StoreProtocol

/// Shrinks a failing case until no smaller case fails in the same way.
struct CaseShrinker {
  private let difference: (DifferentialCase) -> Difference?
  private var attempts: Int
  private var smallest: DifferentialCase
  private var found: Difference

  /// Searches for the smallest case.
  ///
  /// - Parameters:
  ///   - start: A case that fails.
  ///   - found: Its difference.
  ///   - limit: The maximum number of smaller cases to try.
  ///   - difference: A function that runs a case and returns its difference.
  /// - Returns: The smallest case found, with its difference.
  static func shrunk(
    _ start: DifferentialCase,
    _ found: Difference,
    limit: Int = 3_000,
    difference: @escaping (DifferentialCase) -> Difference?
  ) -> (DifferentialCase, Difference) {
    var shrinker = CaseShrinker(
      difference: difference,
      attempts: limit,
      smallest: start,
      found: found
    )
    var before: DifferentialCase
    repeat {
      before = shrinker.smallest
      shrinker.dropRows()
      shrinker.reduceQuestion()
      shrinker.blankValues()
    } while shrinker.smallest != before && shrinker.attempts > 0
    return (shrinker.smallest, shrinker.found)
  }

  /// Accepts a smaller case if it fails as well.
  private mutating func take(_ candidate: DifferentialCase) -> Bool {
    guard attempts > 0, candidate.hasRowsToAsk else { return false }
    attempts -= 1
    guard let again = difference(candidate), again.aspect == found.aspect else { return false }
    smallest = candidate
    found = again
    return true
  }

  /// Removes many rows at a time, then fewer, down to single ones.
  private mutating func dropRows() {
    if !smallest.deleted.isEmpty {
      if !take(smallest.dropping { smallest.deleted.contains($0.number) }) {
        var kept = smallest
        kept.deleted = []
        _ = take(kept)
      }
    }
    var size = max(smallest.rows.count / 2, 1)
    while true {
      var start = 0
      while start < smallest.rows.count {
        let numbers = Set(smallest.rows.dropFirst(start).prefix(size).map(\.number))
        if !take(smallest.dropping { numbers.contains($0.number) }) { start += size }
      }
      guard size > 1 else { return }
      size /= 2
    }
  }

  private mutating func reduceQuestion() {
    while attempts > 0 {
      let reductions = smallest.question.reductions
      guard
        reductions.contains(where: { question in
          var candidate = smallest
          candidate.question = question
          return take(candidate)
        })
      else { return }
    }
  }

  /// Replaces values with nil, or with simpler ones.
  private mutating func blankValues() {
    for index in smallest.rows.indices {
      var candidate = smallest
      candidate.rows[index].values = [:]
      if take(candidate) { continue }
      for name in smallest.rows[index].values.keys.sorted() { blank(name, of: index) }
    }
  }

  private mutating func blank(_ name: String, of index: Int) {
    var candidate = smallest
    guard let value = candidate.rows[index].values.removeValue(forKey: name) else { return }
    if take(candidate) { return }
    for simpler in value.simpler {
      candidate.rows[index].values[name] = simpler
      if take(candidate) { return }
    }
  }
}

extension DifferentialCase {
  /// A Boolean value that indicates whether the case contains all rows whose properties the query
  /// reads.
  ///
  /// Otherwise the query is one that no program could express.
  fileprivate var hasRowsToAsk: Bool {
    let there = Set(rows.map(\.number)).subtracting(deleted)
    return question.expressions.flatMap(\.nodes).allSatisfy { node in
      node.rowsToAsk.allSatisfy { there.contains($0.integerKey ?? 0) }
    }
  }

  fileprivate func dropping(_ isDropped: (DifferentialRow) -> Bool) -> DifferentialCase {
    var result = self
    result.rows.removeAll(where: isDropped)
    result.deleted.formIntersection(result.rows.map(\.number))
    return result
  }
}
