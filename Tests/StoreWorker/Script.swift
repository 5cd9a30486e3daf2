/// The steps that a worker performs, numbered from one.
struct Script {
  private let steps: [Step]
  /// The seed of the steps after the last named one, nil where the script ends there.
  private let seed: UInt64?

  /// Reads steps separated by semicolons.
  ///
  /// - Throws: ``WorkerError`` that names what is no step.
  init(_ text: String) throws {
    var steps: [Step] = []
    var seed: UInt64?
    for part in text.split(separator: ";") {
      let words = part.split(separator: " ")
      if words.isEmpty { continue }
      guard seed == nil else { throw WorkerError.usage("nothing can follow 'auto'") }
      if words.count == 2, words[0] == "auto", let number = UInt64(words[1]) {
        seed = number
      } else if let step = Step(part) {
        steps.append(step)
      } else {
        throw WorkerError.usage("'\(part)' is no step")
      }
    }
    self.steps = steps
    self.seed = seed
  }

  /// How many steps there are, nil without end.
  var count: Int? { seed == nil ? steps.count : nil }

  /// The step of a number, nil after the end.
  subscript(number: Int) -> Step? {
    if steps.indices.contains(number - 1) { return steps[number - 1] }
    return seed.map { Step(seed: $0, number: number) }
  }

  /// Whether the store has the wide schema once a number of steps are done.
  func isWide(after number: Int) -> Bool {
    steps.prefix(max(0, number)).contains(.widen)
  }
}

/// What ends a worker early.
enum WorkerError: Error {
  /// The command line is not understood.
  case usage(String)
  /// The store holds something else than it must.
  case wrong(String)
}
