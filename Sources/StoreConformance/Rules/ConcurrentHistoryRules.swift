import Foundation
import StoreProtocol

/// What threads do to a store at once is written down with its begin and end, and judged afterwards.
enum ConcurrentHistoryRules {
  static let all: [Rule] = [
    Rule(
      "CONC-005",
      "Whatever threads do at once, no read is dirty, torn, stale or goes back, and no save is lost.",
      needs: [.versions],
      since: 2
    ) { bench in
      let store = try bench.store
      try check(bench, [store, store, store, store])
    },
    Rule(
      "CONC-013",
      "So it is when the threads work on two handles of a place.",
      needs: [.processes, .versions],
      hooks: [.secondHandle],
      since: 2
    ) { bench in
      let store = try bench.store
      let other = try bench.secondHandle()
      defer { try? bench.close(other) }
      try check(bench, [store, other, store, other])
    },
  ]

  private static func check(_ bench: StoreBench, _ handles: [any RecordStore]) throws {
    let registers = try bench.insert(
      (0..<2).map { try Sample.record("Exhibit", ["name": .string("r\($0)")]) }
    )
    let log = OperationLog()
    let rounds = bench.settings.count(short: 25, full: 400)
    let seed = bench.settings.seed
    try ConcurrencyRules.onThreads(handles.count) { thread in
      var worker = Worker(
        store: handles[thread],
        registers: registers,
        log: log,
        source: RandomSource(seed: seed &* 31 &+ UInt64(thread)),
        number: thread
      )
      for _ in 0..<rounds { try worker.step() }
    }
    let operations = log.operations
    try expectNoLostSave(operations)
    try expectGoodReads(operations)
    let last = operations.compactMap(\.written).map(\.value).max() ?? 0
    let found = try Worker.read(bench.store, registers)
    try expect("the registers in the end", found.values, equals: [last, last])
  }

  /// Each save adds one to what it read: two saves of one value would be a lost update.
  private static func expectNoLostSave(_ operations: [Operation]) throws {
    let saves = operations.compactMap(\.written).sorted { $0.version < $1.version }
    try expect(
      "the values saved, in the order of the saves' numbers",
      saves.map(\.value),
      equals: saves.indices.map { Int64($0 + 1) }
    )
  }

  private static func expectGoodReads(_ operations: [Operation]) throws {
    let saves = operations.filter { $0.written != nil }
    let values = Set(saves.compactMap { $0.written?.value }).union([0])
    var last: [Int: Int64] = [:]
    for read in operations.sorted(by: { $0.begin < $1.begin }) {
      guard let found = read.found, let first = found.values.first else { continue }
      try expect("both registers of one read", found.values, equals: [first, first])
      try expect("the number of members", found.pets.isMultiple(of: 2), "pairs, as they are saved")
      try expect("a value that was read", values.contains(first), "one that a save stored")
      let previous = last[read.thread] ?? 0
      try expect("what thread \(read.thread) reads next", first >= previous, "\(previous) or later")
      last[read.thread] = first
      let done = saves.filter { $0.end < read.begin }.compactMap { $0.written?.value }.max() ?? 0
      try expect("a read after the save of \(done) returned", first >= done, "\(done) or later")
      let begun = saves.filter { $0.begin < read.end }.compactMap { $0.written?.value }.max() ?? 0
      try expect("a read before the save after \(begun) began", first <= begun, "\(begun) at most")
    }
  }
}

/// Something that a thread did.
private struct Operation: Sendable {
  let thread: Int
  /// The places of begin and end among those of all operations.
  let begin: Int
  let end: Int
  var found: (values: [Int64], pets: Int)?
  var written: (value: Int64, version: Int64)?
}

/// The operations of all threads, with a clock that counts.
private final class OperationLog: Sendable {
  private let state = Shared((clock: 0, operations: [Operation]()))

  var operations: [Operation] { state.value.operations }

  func tick() -> Int {
    state.withLock { state in
      state.clock += 1
      return state.clock
    }
  }

  func append(_ operation: Operation) { state.withLock { $0.operations.append(operation) } }
}

/// What one thread does.
private struct Worker {
  let store: any RecordStore
  let registers: [PersistentIdentifier]
  let log: OperationLog
  var source: RandomSource
  let number: Int

  /// Reads, saves, or has a save refused; a refused save writes a value that nobody may ever see.
  mutating func step() throws {
    switch source.below(4) {
    case 0, 1: try read()
    case 2: try increase()
    default: try refuse()
    }
  }

  private func read() throws {
    let begin = log.tick()
    let found = try Self.read(store, registers)
    let end = log.tick()
    log.append(Operation(thread: number, begin: begin, end: end, found: found))
  }

  /// Adds one to both registers and a pair of animals, at the versions that were read.
  private func increase() throws {
    let rows = try store.fetch(.rows(registers, of: "Exhibit"))
    guard rows.count == 2, case .integer(let value) = rows[0]["count"] else {
      throw RuleViolation("the registers", expected: "two rows", found: "\(rows.count)")
    }
    let begin = log.tick()
    do {
      let result = try store.apply(
        StoreChanges(
          inserted: (0..<2).map { _ in try Sample.record("Animal") },
          updated: registers.map { try Sample.update($0, ["count": .integer(value + 1)]) },
          expectedVersions: Dictionary(
            rows.map { ($0.persistentIdentifier, $0.version) },
            uniquingKeysWith: { $1 }
          )
        )
      )
      let end = log.tick()
      let written = (value: value + 1, version: result.version)
      log.append(Operation(thread: number, begin: begin, end: end, written: written))
    } catch DataStoreError.conflict {
      // Another thread came first; this one tries again at its next step.
    }
  }

  private func refuse() throws {
    let changes = StoreChanges(
      inserted: [try Sample.record("Animal")],
      updated: try registers.map { try Sample.update($0, ["count": .integer(-1)]) },
      expectedVersions: [registers[0]: .max]
    )
    do {
      _ = try store.apply(changes)
      throw RuleViolation("a save at no version", expected: "the error conflict", found: "no error")
    } catch DataStoreError.conflict {
      // As it should be.
    }
  }

  static func read(
    _ store: any RecordStore,
    _ registers: [PersistentIdentifier]
  ) throws -> (values: [Int64], pets: Int) {
    let values = try store.fetch(.rows(registers, of: "Exhibit")).map { record -> Int64 in
      if case .integer(let count) = record["count"] { count } else { -2 }
    }
    return (values, try store.count(StoreQuery(entity: "Animal")))
  }
}
