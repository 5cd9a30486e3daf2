import StoreProtocol

extension MachineCase {
  /// Runs random steps until one fails, and shrinks the case.
  ///
  /// - Throws: A ``RuleViolation`` with the seed and a test that reproduces it.
  static func run(on bench: StoreBench, seed: UInt64, steps: Int, reopens: Bool) throws {
    if let (done, found) = try failure(on: bench, seed: seed, steps: steps, reopens: reopens) {
      throw done.explained(found, beside: bench, seed: seed)
    }
  }

  /// Returns random steps of which the last fails, and how, or `nil` if none does.
  static func failure(
    on bench: StoreBench,
    seed: UInt64,
    steps: Int,
    reopens: Bool
  ) throws -> (MachineCase, RuleViolation)? {
    var generator = MachineGenerator(seed: seed, reopens: reopens)
    var player = try MachinePlayer(bench)
    var done = MachineCase([])
    for _ in 0..<steps {
      let step = generator.step(player.model)
      done.steps.append(step)
      do {
        try player.play(step)
        try player.compareAll()
      } catch {
        return (done, RuleViolation.wrapping(error, as: "a step"))
      }
    }
    return nil
  }

  /// Returns the violation with the smallest case that shows one.
  private func explained(
    _ found: RuleViolation,
    beside bench: StoreBench,
    seed: UInt64
  ) -> RuleViolation {
    let location = "seed \(seed), step \(steps.count)"
    // A failure that depends on chance cannot be shrunk.
    guard violation(beside: bench) != nil else { return found.within(location) }
    // All of them compare the results of the last step, which is enough to fail.
    let smallest = shrunk { $0.violation(beside: bench, comparesAll: false) != nil }
    let remaining = smallest.violation(beside: bench) ?? found
    return RuleViolation(
      "\(location); smallest case:\n\(SwiftSource.text(smallest))\n\(remaining.subject)",
      expected: remaining.expected,
      found: remaining.found,
      isWholeCase: true
    )
  }

  /// Returns the smallest failing case that results from removing one element after the other.
  func shrunk(work: Int = 1_000, _ fails: (MachineCase) -> Bool) -> MachineCase {
    MachineCase(StepReduction.smallest(steps, work: work) { fails(MachineCase($0)) })
  }
}

extension MachineCase.Step {
  /// The steps without one of the elements of this one.
  var smallerSteps: [MachineCase.Step] {
    switch self {
    case .save(let batch): batch.smallerBatches.map(MachineCase.Step.save)
    case .meanwhile(let batch):
      [.save(batch)] + batch.smallerBatches.map(MachineCase.Step.meanwhile)
    case .forget(let saves): saves.count > 1 ? saves.map { .forget([$0]) } : []
    case .ask, .reader, .reopen, .erase: []
    }
  }
}

extension MachineBatch {
  /// The batches without one of the elements of this one.
  fileprivate var smallerBatches: [MachineBatch] {
    var smaller: [MachineBatch] = []
    func add(_ change: (inout MachineBatch) -> Void) {
      var batch = self
      change(&batch)
      if batch != self { smaller.append(batch) }
    }
    // Everything but the changes of rows at once, and then each for itself.
    add { batch in
      batch = MachineBatch(
        bulk: bulk,
        inserted: inserted,
        updated: updated,
        deleted: deleted
      )
    }
    for rows in StepReduction.smaller(inserted) { add { $0.inserted = rows } }
    for rows in StepReduction.smaller(updated) { add { $0.updated = rows } }
    for index in deleted.indices { add { $0.deleted.remove(at: index) } }
    for index in bulk.indices { add { $0.bulk.remove(at: index) } }
    add { $0.keys = [:] }
    add { $0.nextKey = nil }
    add { $0.expecting = [:] }
    add { $0.requiresNew = false }
    add { $0.protects = false }
    add { $0.isSpoiled = false }
    add { $0.readers = [:] }
    add { $0.isProduced = false }
    add { ($0.cascaded, $0.cleared) = ([], [:]) }
    add { ($0.author, $0.time) = (nil, 0) }
    return smaller
  }
}

extension SwiftSource {
  /// Returns a test that shows a violation, to paste into a test file.
  static func text(_ found: MachineCase) -> String {
    let steps = found.steps.map { "      \(text($0)),\n" }
    return """
      @Test func `agrees with the model of the contract`() throws {
        try MachineCase([
      \(steps.joined())    ])
        .check(Fixture())
      }
      """
  }

  private static func text(_ step: MachineCase.Step) -> String {
    switch step {
    case .save(let batch): ".save(\(text(batch)))"
    case .meanwhile(let batch): ".meanwhile(\(text(batch)))"
    case .ask(let seed): ".ask(\(seed))"
    case .forget(let saves): ".forget(\(saves))"
    case .reader(let name, let save):
      ".reader(\(text(name)), \(save.map(String.init) ?? "nil"))"
    case .reopen: ".reopen"
    case .erase: ".erase"
    }
  }

  private static func text(_ batch: MachineBatch) -> String {
    var parts: [String] = []
    func add(_ name: String, _ text: String, if isPresent: Bool) {
      if isPresent { parts.append("\(name): \(text)") }
    }
    add("bulk", list(batch.bulk.map(text)), if: !batch.bulk.isEmpty)
    add("inserted", list(batch.inserted.map(text)), if: !batch.inserted.isEmpty)
    add("updated", list(batch.updated.map(text)), if: !batch.updated.isEmpty)
    add("deleted", "\(batch.deleted)", if: !batch.deleted.isEmpty)
    add("cascaded", "\(batch.cascaded.sorted())", if: !batch.cascaded.isEmpty)
    add("cleared", "\(batch.cleared)", if: !batch.cleared.isEmpty)
    add("keys", "\(batch.keys)", if: !batch.keys.isEmpty)
    add("nextKey", "\(batch.nextKey ?? 0)", if: batch.nextKey != nil)
    add("expecting", "\(batch.expecting)", if: !batch.expecting.isEmpty)
    add("requiresNew", "true", if: batch.requiresNew)
    add("protects", "true", if: batch.protects)
    add("isSpoiled", "true", if: batch.isSpoiled)
    add("readers", "\(batch.readers)", if: !batch.readers.isEmpty)
    add("isProduced", "true", if: batch.isProduced)
    add("author", text(batch.author ?? ""), if: batch.author != nil)
    add("time", "\(batch.time)", if: batch.time != 0)
    return "MachineBatch(\(parts.joined(separator: ", ")))"
  }

  private static func text(_ change: MachineBatch.Bulk) -> String {
    var parts = [text(change.entity)]
    if !change.includesSubentities { parts.append("includesSubentities: false") }
    if let least = change.least { parts.append("least: \(least)") }
    if change.isDeletion { parts.append("isDeletion: true") }
    return "MachineBatch.Bulk(\(parts.joined(separator: ", ")))"
  }
}
