/// Reduces the steps of a failing case.
enum StepReduction {
  /// Returns the smallest failing steps that result from removing one element after the other.
  ///
  /// - Parameters:
  ///   - steps: The steps, which fail.
  ///   - work: How many steps to try in all.
  ///   - smaller: A function that returns a step without one of its elements, for each of them.
  ///   - fails: A function that returns whether some steps fail.
  /// - Returns: The smallest steps found.
  static func smallest<Step>(
    _ steps: [Step],
    work: Int,
    smaller: (Step) -> [Step],
    fails: ([Step]) -> Bool
  ) -> [Step] {
    var smallest = steps
    var work = work
    func isFailing(_ candidate: [Step]) -> Bool {
      work -= candidate.count
      return work >= 0 && fails(candidate)
    }
    var size = max(1, steps.count / 2)
    while size >= 1, work > 0 {
      var start = 0
      while start < smallest.count {
        var candidate = smallest
        candidate.removeSubrange(start..<min(start + size, candidate.count))
        if isFailing(candidate) { smallest = candidate } else { start += size }
      }
      size /= 2
    }
    var didShrink = true
    while didShrink, work > 0 {
      didShrink = false
      let candidates = smallest.indices.flatMap { index in
        smaller(smallest[index]).map { step in
          var candidate = smallest
          candidate[index] = step
          return candidate
        }
      }
      for candidate in candidates where isFailing(candidate) {
        smallest = candidate
        didShrink = true
        break
      }
    }
    return smallest
  }

  /// Returns a violation of random steps, with the smallest case that shows one.
  ///
  /// - Parameters:
  ///   - found: The violation.
  ///   - location: The seed and the step.
  ///   - failing: The case with all steps.
  ///   - violation: A function that returns the violation of a case, or `nil` if there is none.
  ///   - source: A function that returns a case as Swift source.
  ///   - shrunk: A function that returns the smallest failing case.
  /// - Returns: The violation with the smallest case, to paste into a test.
  static func explained<Failing>(
    _ found: RuleViolation,
    at location: String,
    of failing: Failing,
    violation: (Failing) -> RuleViolation?,
    source: (Failing) -> String,
    shrunk: () -> Failing
  ) -> RuleViolation {
    // A failure that depends on chance cannot be shrunk.
    guard violation(failing) != nil else { return found.within(location) }
    let smallest = shrunk()
    let remaining = violation(smallest) ?? found
    return RuleViolation(
      "\(location); smallest case:\n\(source(smallest))\n\(remaining.subject)",
      expected: remaining.expected,
      found: remaining.found,
      isWholeCase: true
    )
  }

  /// Returns some rows without one of them, or without one value of one of them.
  static func smaller(_ rows: [DifferentialRow]) -> [[DifferentialRow]] {
    rows.indices.flatMap { index in
      var without = rows
      without.remove(at: index)
      return [without]
        + rows[index].values.keys.sorted().map { name in
          var plainer = rows
          plainer[index].values[name] = nil
          return plainer
        }
    }
  }
}
