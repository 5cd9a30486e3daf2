import StoreTestSupport

/// Shortens a run of steps that shows a difference.
struct StepShrinker<Step> {
  /// Returns steps that do less than a step.
  let simpler: (Step) -> [Step]
  /// Returns whether a run shows a difference.
  let fails: ([Step]) -> Bool

  /// Returns a short part of a run that still shows a difference.
  func shrunk(_ steps: [Step]) -> [Step] {
    var steps = steps
    var size = max(1, steps.count / 2)
    while true {
      let before = steps.count
      steps = without(runsOf: size, of: steps)
      if size > 1 {
        size /= 2
      } else if steps.count == before {
        return simplified(steps)
      }
    }
  }

  private func without(runsOf size: Int, of steps: [Step]) -> [Step] {
    var steps = steps
    var end = steps.count
    while end > 0 {
      let start = max(0, end - size)
      var fewer = steps
      fewer.removeSubrange(start..<end)
      if fails(fewer) { steps = fewer }
      end = start
    }
    return steps
  }

  /// Replaces steps by simpler ones.
  private func simplified(_ steps: [Step]) -> [Step] {
    var steps = steps
    for index in steps.indices {
      for simpler in simpler(steps[index]) {
        var other = steps
        other[index] = simpler
        if fails(other) {
          steps = other
          break
        }
      }
    }
    return steps
  }
}

extension Step {
  /// Steps that do less.
  var simpler: [Step] {
    switch self {
    case .make(let object, .skipper, _):
      [.make(object, .seafarer), .make(object, .deckhand)]
    case .make(let object, .deckhand, _): [.make(object, .seafarer)]
    case .add(let object, let link, let other, .some): [.add(object, link, other)]
    case .replace(let object, let link, let others):
      others.indices.map { index in
        var fewer = others
        fewer.remove(at: index)
        return .replace(object, link, fewer)
      }
    case .set(let object, let field, let value): value > 1 ? [.set(object, field, 1)] : []
    default: []
    }
  }
}

/// A run that showed a difference, as a test to paste.
struct Finding: CustomStringConvertible {
  let store: EveryStore
  let seed: UInt64
  let steps: [Step]
  let difference: Difference

  var description: String {
    let list = steps.map { "    \($0.source),\n" }.joined()
    return """
      \(difference), OSD_SEED=\(Sweep.randomSeed)

      @Test func `finding of seed \(seed) on \(store)`() {
        Trial(.\(store)).expectNoDifference([
      \(list)  ])
      }

      """
  }
}
