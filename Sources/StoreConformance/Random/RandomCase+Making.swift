import StoreProtocol

extension RandomCase {
  /// Runs random steps until one fails, and shrinks the case.
  ///
  /// - Throws: A ``RuleViolation`` with the seed and a test that reproduces it.
  static func run(
    on bench: StoreBench,
    seed: UInt64,
    steps: Int,
    reopens: Bool
  ) throws {
    let isUnique = try bench.store.capabilities.uniqueness.isSupported
    var maker = RandomStepGenerator(seed: seed, isUnique: isUnique, reopens: reopens)
    var player = RandomPlayer(bench)
    var done = RandomCase([])
    for _ in 0..<steps {
      let step = try maker.step(player)
      done.steps.append(step)
      do {
        try player.play(step)
      } catch {
        let found = RuleViolation.wrapping(error, as: "a step")
        throw done.explained(found, beside: bench, seed: seed)
      }
    }
  }

  /// Returns the violation with the smallest case that shows one.
  private func explained(
    _ found: RuleViolation,
    beside bench: StoreBench,
    seed: UInt64
  ) -> RuleViolation {
    StepReduction.explained(
      found,
      at: "seed \(seed), step \(steps.count)",
      of: self,
      violation: { $0.violation(beside: bench) },
      source: SwiftSource.text,
      shrunk: { shrunk { $0.violation(beside: bench) != nil } }
    )
  }

  /// Returns the smallest failing case that results from removing one element after the other.
  func shrunk(work: Int = 12_000, _ fails: (RandomCase) -> Bool) -> RandomCase {
    RandomCase(
      StepReduction.smallest(steps, work: work, smaller: \.smallerSteps) {
        fails(RandomCase($0))
      }
    )
  }
}

extension RandomCase.Step {
  fileprivate var smallerSteps: [RandomCase.Step] {
    switch self {
    case .reopen, .erase: []
    case .save(let inserted, let updated, let deleted):
      Self.smaller(inserted, updated, deleted, Self.save)
    case .refused(let inserted, let updated, let deleted):
      Self.smaller(inserted, updated, deleted, Self.refused)
    }
  }

  private static func smaller(
    _ inserted: [DifferentialRow],
    _ updated: [DifferentialRow],
    _ deleted: [Int64],
    _ step: ([DifferentialRow], [DifferentialRow], [Int64]) -> RandomCase.Step
  ) -> [RandomCase.Step] {
    StepReduction.smaller(inserted).map { step($0, updated, deleted) }
      + StepReduction.smaller(updated).map { step(inserted, $0, deleted) }
      + deleted.indices.map { index in
        step(inserted, updated, Array(deleted[..<index] + deleted[(index + 1)...]))
      }
  }
}

/// Creates random steps that suit the contents of a store.
struct RandomStepGenerator {
  private var random: RandomChanges
  private let reopens: Bool
  private var lastNumber: Int64 = 0

  init(seed: UInt64, isUnique: Bool, reopens: Bool) {
    random = RandomChanges(
      source: RandomSource(seed: seed),
      uniqueness: isUnique ? .newGroups : .none
    )
    self.reopens = reopens
  }

  /// Returns the next step.
  mutating func step(_ player: RandomPlayer) throws -> RandomCase.Step {
    if reopens, random.source.oneIn(4) { return .reopen }
    if random.source.oneIn(40) { return .erase }
    let changes = try random.batch(over: player.rows)
    let (inserted, updated, deleted) = try described(changes, player)
    return random.source.oneIn(8)
      ? .refused(inserted: inserted, updated: updated, deleted: deleted)
      : .save(inserted: inserted, updated: updated, deleted: deleted)
  }

  /// Returns a batch in numbers.
  private mutating func described(
    _ changes: StoreChanges,
    _ player: RandomPlayer
  ) throws -> ([DifferentialRow], [DifferentialRow], [Int64]) {
    var numbers: [PersistentIdentifier: Int64] = [:]
    for record in changes.inserted {
      lastNumber += 1
      numbers[record.persistentIdentifier] = lastNumber
    }
    for identifier in player.rows { numbers[identifier] = player.number(of: identifier) }
    func numbered(_ value: StoreValue) -> StoreValue {
      value.replacingIdentifiers { one in
        numbers[one].map { DifferentialRow.identifier($0, one.entityName) }
      }
    }
    let inserted = changes.inserted.compactMap { record in
      numbers[record.persistentIdentifier].map { number in
        DifferentialRow(
          number,
          record.persistentIdentifier.entityName,
          Dictionary(uniqueKeysWithValues: zip(record.names.names, record.values.map(numbered)))
            .filter { $0.value != .null }
        )
      }
    }
    let updated = try changes.updated.compactMap { update in
      let names = try Sample.entity(update.identifier.entityName).propertyNames.names
      return numbers[update.identifier].map { number in
        DifferentialRow(
          number,
          update.identifier.entityName,
          Dictionary(lastOf: update.changes.map { (names[$0.index], numbered($0.value)) })
        )
      }
    }
    return (inserted, updated, changes.deleted.compactMap { numbers[$0] })
  }
}

extension SwiftSource {
  /// Returns a test that shows a violation, to paste into a test file.
  static func text(_ found: RandomCase) -> String {
    let steps = found.steps.map { "      \(text($0)),\n" }
    return """
      @Test func `holds what a dictionary holds`() throws {
        try RandomCase([
      \(steps.joined())    ])
        .check(Fixture())
      }
      """
  }

  private static func text(_ step: RandomCase.Step) -> String {
    switch step {
    case .reopen: ".reopen"
    case .erase: ".erase"
    case .save(let inserted, let updated, let deleted):
      ".save(\(arguments(inserted, updated, deleted)))"
    case .refused(let inserted, let updated, let deleted):
      ".refused(\(arguments(inserted, updated, deleted)))"
    }
  }

  private static func arguments(
    _ inserted: [DifferentialRow],
    _ updated: [DifferentialRow],
    _ deleted: [Int64]
  ) -> String {
    var arguments: [String] = []
    if !inserted.isEmpty { arguments.append("inserted: \(list(inserted.map(text)))") }
    if !updated.isEmpty { arguments.append("updated: \(list(updated.map(text)))") }
    if !deleted.isEmpty { arguments.append("deleted: \(list(deleted.map(String.init)))") }
    return arguments.joined(separator: ", ")
  }
}
