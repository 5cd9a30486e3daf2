import Dispatch
import Foundation
import StoreProtocol

/// A client of a concurrent history that reads, saves, attempts invalid saves, and records each
/// request.
struct ConcurrentWorker: Sendable {
  /// The rows that all workers share.
  struct World: Sendable {
    let registers: [PersistentIdentifier]
    /// A deleted row, whose update must throw.
    let ghost: PersistentIdentifier
    let hasVersions: Bool
    let canFilter: Bool

    /// Creates the rows.
    init(_ bench: StoreBench) throws {
      let capabilities = try bench.store.capabilities
      hasVersions = Capability.versions.isDeclared(by: capabilities)
      canFilter = Capability.nativeFiltering.isDeclared(by: capabilities)
      registers = try bench.insert(
        (0..<2).map { try Sample.record("Exhibit", ["name": .string("r\($0)")]) }
      )
      ghost = try bench.insert("Exhibit")
      try bench.delete(ghost)
    }

    /// Finds the rows that another process created.
    init(in store: any RecordStore) throws {
      hasVersions = Capability.versions.isDeclared(by: store.capabilities)
      canFilter = Capability.nativeFiltering.isDeclared(by: store.capabilities)
      registers = try store.fetch(StoreQuery(entity: "Exhibit")).filter {
        $0["name"] == .string("r0") || $0["name"] == .string("r1")
      }.map(\.persistentIdentifier)
      let record = try Sample.record("Exhibit", [:])
      ghost = try store.apply(StoreChanges(inserted: [record])).identifier(of: record)
      _ = try store.apply(StoreChanges(deleted: [ghost]))
    }
  }

  let store: any RecordStore
  let world: World
  let log: ConcurrentLog
  var source: RandomSource
  /// Whether the worker saves.
  ///
  /// Without versions, only one worker may save; otherwise updates are lost.
  let saves: Bool

  /// The last state that the worker saw.
  private var seen: Int64 = 0
  /// The prepared save, for which the worker has read the values.
  private var next: (value: Int64, changes: StoreChanges)?

  init(
    _ store: any RecordStore,
    _ world: World,
    _ log: ConcurrentLog,
    _ source: RandomSource,
    saves: Bool
  ) {
    self.store = store
    self.world = world
    self.log = log
    self.source = source
    self.saves = saves
  }

  /// Makes one random request.
  ///
  /// - Parameter pausing: Whether reading for a save is a separate step, so that other workers can
  ///   save before this one does.
  /// - Throws: The store's errors except conflicts, and a ``RuleViolation`` for a missing conflict.
  mutating func step(pausing: Bool = false) throws {
    switch source.below(7) {
    case 0: _ = try readRegisters()
    case 1: try readAnimals()
    case 2: try world.canFilter ? filterAnimals() : readAnimals()
    case 3: try countAnimals()
    case 4...5 where saves: try increase(pausing: pausing)
    case 6 where saves: try refuse()
    default: _ = try readRegisters()
    }
  }

  /// Reads with each kind of request.
  mutating func readAll() throws {
    _ = try readRegisters()
    try readAnimals()
    try countAnimals()
  }

  private mutating func readRegisters() throws -> [DefaultSnapshot] {
    let rows = try log.note {
      let rows = try store.fetch(.rows(world.registers, of: "Exhibit"))
      let values = rows.map { record -> Int64 in
        if case .integer(let count) = record["count"] { count } else { -1 }
      }
      return (rows, .registers(values))
    }
    if case .integer(let value)? = rows.first?["count"] { seen = max(seen, value) }
    return rows
  }

  /// Reads row by row, and yields to other threads between the rows.
  private func readAnimals() throws {
    try log.note {
      var names: [Int64] = []
      try store.read(StoreQuery(entity: "Animal")) { reader in
        names.append(Self.number(try reader.value(at: 0)))
        Self.letOthersRun()
      }
      return ((), .animals(names, from: 0))
    }
  }

  private func filterAnimals() throws {
    let filter = QueryExpression.row("weight", .greaterOrEqual, .double(Double(seen)))
    try log.note {
      let rows = try store.fetch(StoreQuery("Animal", where: filter))
      return ((), .animals(rows.map { Self.number($0["name"]) }, from: seen))
    }
  }

  private func countAnimals() throws {
    try log.note { ((), .count(try store.count(StoreQuery(entity: "Animal")))) }
  }

  private mutating func increase(pausing: Bool) throws {
    if next == nil {
      next = try readForSave()
      if pausing { return }
      Self.letOthersRun()
    }
    guard let (value, changes) = next else { return }
    next = nil
    do {
      try log.note { ((), .saved(value, version: try store.apply(changes).version)) }
    } catch DataStoreError.conflict {
      // Another worker saved first; this worker tries again at its next step.
    }
  }

  private mutating func readForSave() throws -> (Int64, StoreChanges) {
    let rows = try readRegisters()
    guard rows.count == 2, case .integer(let value)? = rows[0]["count"] else {
      throw RuleViolation("the registers", expected: "two rows", found: "\(rows.count)")
    }
    let animals = try store.fetch(StoreQuery(entity: "Animal"))
    let versions = rows.map { ($0.persistentIdentifier, $0.version) }
    var changes = try self.changes(to: value + 1)
    changes.deleted = animals.filter {
      Self.number($0["name"]) == value + 1 - ConcurrentHistory.kept
    }.map(\.persistentIdentifier)
    if world.hasVersions {
      changes.expectedVersions = Dictionary(lastOf: versions)
    }
    return (value + 1, changes)
  }

  /// Attempts an invalid save of values that no read may return.
  private func refuse() throws {
    var changes = try changes(to: -1)
    changes.updated.append(try Sample.update(world.ghost, ["count": .integer(1)]))
    do {
      _ = try store.apply(changes)
    } catch DataStoreError.conflict {
      return
    }
    throw RuleViolation("an update of a deleted row", expected: "a conflict", found: "no error")
  }

  private func changes(to value: Int64) throws -> StoreChanges {
    StoreChanges(
      inserted: try (0..<2).map { _ in
        try Sample.record(
          "Animal",
          ["name": .string("\(value)"), "weight": .double(Double(value))]
        )
      },
      updated: try world.registers.map { try Sample.update($0, ["count": .integer(value)]) }
    )
  }

  private static func number(_ name: StoreValue?) -> Int64 {
    if case .string(let text)? = name { Int64(text) ?? -1 } else { -1 }
  }

  /// Yields the processor, which a thread would otherwise keep until it is done.
  private static func letOthersRun() { Thread.sleep(forTimeInterval: 0) }
}

/// The operations of all workers.
final class ConcurrentLog: Sendable {
  private let state = Shared((clock: 0, operations: [ConcurrentHistory.Operation]()))
  private let hasSystemClock: Bool

  /// Creates an empty log.
  ///
  /// - Parameter isOfProcesses: Whether other processes have logs of the same history, so that
  ///   positions come from the clock of the system.
  init(isOfProcesses: Bool = false) { hasSystemClock = isOfProcesses }

  var operations: [ConcurrentHistory.Operation] { state.value.operations }

  /// Adds the operations of another process.
  func add(_ operations: [ConcurrentHistory.Operation]) {
    state.withLock { $0.operations += operations }
  }

  /// Records a request with its begin and end, unless it throws.
  func note<Result>(
    _ body: () throws -> (Result, ConcurrentHistory.Outcome)
  ) rethrows -> Result {
    let begin = tick()
    let (result, outcome) = try body()
    let end = tick()
    add([.init(begin: begin, end: end, outcome: outcome)])
    return result
  }

  private func tick() -> Int {
    if hasSystemClock { return Int(clamping: DispatchTime.now().uptimeNanoseconds) }
    return state.withLock { state in
      state.clock += 1
      return state.clock
    }
  }
}
