/// Reduces the steps of a failing case.
enum StepReduction {
  /// Returns the smallest failing steps that result from removing one element after the other.
  ///
  /// - Parameters:
  ///   - steps: The steps, which fail.
  ///   - work: How many steps to try in all.
  ///   - fails: A function that returns whether some steps fail.
  /// - Returns: The smallest steps found.
  static func smallest(
    _ steps: [MachineCase.Step],
    work: Int,
    fails: ([MachineCase.Step]) -> Bool
  ) -> [MachineCase.Step] {
    var smallest = steps
    var work = work
    func isFailing(_ candidate: [MachineCase.Step]) -> Bool {
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
        smallest[index].smallerSteps.map { step in
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
