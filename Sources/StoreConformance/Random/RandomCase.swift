import StoreProtocol

/// Steps on a store, after each of which its contents must equal those of a dictionary.
///
/// A failure of the random rules prints a shrunk case as a test. Paste it into a file that imports
/// Foundation, `StoreConformance` and the store.
public struct RandomCase: Hashable, Sendable {
  /// A step of a case.
  public enum Step: Hashable, Sendable {
    /// A save; rows have numbers, and an update has only the changed values.
    case save(
      inserted: [DifferentialRow] = [],
      updated: [DifferentialRow] = [],
      deleted: [Int64] = []
    )
    /// An invalid save that also updates a row that never existed, for which the store must throw.
    case refused(
      inserted: [DifferentialRow] = [],
      updated: [DifferentialRow] = [],
      deleted: [Int64] = []
    )
    /// The store is closed and opened again.
    case reopen
    /// All rows are erased.
    case erase
  }

  /// The steps in order.
  public var steps: [Step]

  /// Creates a case.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Runs the steps on a new store.
  ///
  /// - Throws: The ``RuleViolation`` that a step causes.
  public func check(_ fixture: some StoreFixture) throws {
    let bench = try StoreBench(fixture)
    defer { bench.destroy() }
    try check(bench)
  }

  func check(_ bench: StoreBench) throws {
    var player = RandomPlayer(bench)
    for (index, step) in steps.enumerated() {
      do {
        try player.play(step)
      } catch {
        let violation = RuleViolation.wrapping(error, as: "the store works")
        throw violation.within("step \(index + 1) (\(step.name))")
      }
    }
  }

  /// Returns the violation that the steps cause on a store beside another, or `nil` if there is
  /// none.
  func violation(beside bench: StoreBench) -> RuleViolation? {
    do {
      try bench.withNeighbour(check)
      return nil
    } catch {
      return error as? RuleViolation
    }
  }
}

extension RandomCase.Step {
  /// A short description of the step.
  var name: String {
    switch self {
    case .save(let inserted, let updated, let deleted):
      "inserted \(inserted.count), updated \(updated.count), deleted \(deleted.count)"
    case .refused: "a refused batch"
    case .reopen: "reopen"
    case .erase: "erase"
    }
  }
}

/// Runs steps on a store and on a dictionary, and compares them.
struct RandomPlayer {
  private let bench: StoreBench
  private var oracle = Oracle()
  private var identifiers: [Int64: PersistentIdentifier] = [:]
  private var numbers: [PersistentIdentifier: Int64] = [:]

  init(_ bench: StoreBench) {
    self.bench = bench
  }

  /// The rows that are stored now.
  var rows: [PersistentIdentifier] { oracle.rows.keys.sorted() }

  /// Returns the number of a stored row.
  func number(of identifier: PersistentIdentifier) -> Int64? { numbers[identifier] }

  /// Runs a step and compares the whole contents of the store.
  mutating func play(_ step: RandomCase.Step) throws {
    switch step {
    case .reopen: try bench.reopen()
    case .erase:
      try bench.store.erase()
      oracle.erase()
    case .save(let inserted, let updated, let deleted):
      let (changes, new) = try changes(inserted, updated, deleted)
      let result = try bench.store.apply(changes)
      try oracle.apply(changes, result)
      for (number, temporary) in new.sorted(by: { $0.key < $1.key }) {
        guard let permanent = result.remapped[temporary] else { continue }
        identifiers[number] = permanent
        // A record that became a stored row keeps that row's number.
        numbers[permanent] = numbers[permanent] ?? number
      }
    case .refused(let inserted, let updated, let deleted):
      try refuse(changes(inserted, updated, deleted).changes)
    }
    try oracle.check(try bench.store)
  }

  /// Adds an update of a row that never existed to a batch.
  private func refuse(_ changes: StoreChanges) throws {
    let missing = PersistentIdentifier(
      .integer(1 << 40),
      of: "Person",
      in: try bench.store.identifier
    )
    var spoiled = changes
    spoiled.updated.append(try Sample.update(missing, ["age": .integer(1)]))
    try expect("a batch with an update of a missing row", throws: .conflict) {
      _ = try bench.store.apply(spoiled)
    }
  }

  /// Returns the batch of a step, without rows that the store does not have.
  private func changes(
    _ inserted: [DifferentialRow],
    _ updated: [DifferentialRow],
    _ deleted: [Int64]
  ) throws -> (changes: StoreChanges, new: [Int64: PersistentIdentifier]) {
    var records = try inserted.map { try Sample.record($0.entity) }
    let new = Dictionary(lastOf: zip(inserted.map(\.number), records.map(\.persistentIdentifier)))
    let stored = identifiers.filter { oracle.rows[$0.value] != nil }
    func own(_ value: StoreValue) -> StoreValue {
      value.replacingIdentifiers { one in one.integerKey.flatMap { new[$0] ?? stored[$0] } }
    }
    for (index, row) in inserted.enumerated() {
      for (name, value) in row.values { records[index][name] = own(value) }
    }
    let updates = try updated.compactMap { row in
      try stored[row.number].map { try Sample.update($0, row.values.mapValues(own)) }
    }
    let changes = StoreChanges(
      inserted: records,
      updated: updates,
      deleted: deleted.compactMap { stored[$0] }
    )
    return (changes, new)
  }
}
