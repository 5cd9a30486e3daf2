import StoreProtocol

/// What is done to a store step by step, after each of which it must hold what a dictionary holds.
///
/// A failure of the random rules prints one of these, made as small as it can be, as a test to be
/// pasted into a file that imports Foundation, `StoreConformance` and the store.
public struct RandomCase: Hashable, Sendable {
  /// Something that is done.
  public enum Step: Hashable, Sendable {
    /// A save; rows are known by numbers, and an update has the changed values only.
    case save(
      inserted: [DifferentialRow] = [],
      updated: [DifferentialRow] = [],
      deleted: [Int64] = []
    )
    /// The same with an update of a row that was never there, which the store has to refuse.
    case refused(
      inserted: [DifferentialRow] = [],
      updated: [DifferentialRow] = [],
      deleted: [Int64] = []
    )
    /// The store is closed and opened again.
    case reopen
    /// All is erased.
    case erase
  }

  /// What is done, in order.
  public var steps: [Step]

  /// Creates a case.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Does the steps on a store in a fresh place.
  ///
  /// - Throws: The ``RuleViolation`` that comes to light.
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
      } catch let violation as RuleViolation {
        throw violation.within("step \(index + 1) (\(step.name))")
      } catch {
        throw RuleViolation(
          "step \(index + 1) (\(step.name))",
          expected: "no error",
          found: "\(error)"
        )
      }
    }
  }

  /// The violation that the steps bring to light on a store beside another, nil for none.
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
  /// The step in a few words.
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

/// Does steps on a store and in a dictionary, and compares.
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

  /// The number of a stored row.
  func number(of identifier: PersistentIdentifier) -> Int64? { numbers[identifier] }

  /// Does a step and compares all that the store holds.
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
        // A record that became a stored row goes on under that row's number.
        numbers[permanent] = numbers[permanent] ?? number
      }
    case .refused(let inserted, let updated, let deleted):
      try refuse(changes(inserted, updated, deleted).changes)
    }
    try oracle.check(try bench.store)
  }

  /// Spoils a batch with an update of a row that was never there.
  private func refuse(_ changes: StoreChanges) throws {
    let scope = PersistentIdentifier.Scope(
      storeIdentifier: try bench.store.identifier,
      entityName: "Person"
    )
    let missing = PersistentIdentifier(scope: scope, key: .integer(1 << 40))
    var spoiled = changes
    spoiled.updated.append(try Sample.update(missing, ["age": .integer(1)]))
    try expect("a batch with an update of a missing row", throws: .conflict) {
      _ = try bench.store.apply(spoiled)
    }
  }

  /// The batch of a step; what the store does not have is left out.
  private func changes(
    _ inserted: [DifferentialRow],
    _ updated: [DifferentialRow],
    _ deleted: [Int64]
  ) throws -> (changes: StoreChanges, new: [Int64: PersistentIdentifier]) {
    var records = try inserted.map { try Sample.record($0.entity) }
    let new = Dictionary(
      zip(inserted.map(\.number), records.map(\.persistentIdentifier)),
      uniquingKeysWith: { $1 }
    )
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
