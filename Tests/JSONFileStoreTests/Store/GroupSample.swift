import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport

/// A store whose next save waits until some others wait for it.
struct GroupSample {
  let fixture: StoreFixture
  let access = FaultyFileAccess()
  let store: JSONFileStore
  let gate: WaitingGate

  init(
    waiting count: Int,
    in fixture: StoreFixture? = nil,
    journalLimit: Int? = nil
  ) throws {
    let fixture = try fixture ?? StoreFixture()
    self.fixture = fixture
    var configuration = fixture.configuration(access: access)
    configuration.journalLimit = journalLimit
    store = try JSONFileStore(configuration, migrationPlan: nil)
    gate = WaitingGate(for: count)
    try store.insert(newRow(["name": .string("before"), "number": .integer(0)]))
    access.reset()
  }

  func newItem(
    _ number: Int,
    _ onWrite: @escaping @Sendable () -> Void = {}
  ) -> StoreChanges {
    var changes = StoreChanges()
    let row = WaitingRow(
      [0: .string("\(number)"), 3: .integer(Int64(number))],
      at: gate,
      waiting: { [store] in store.waitingSaves },
      onWrite: onWrite
    )
    let numbers = RowIdentifiers(
      [PersistentIdentifier.nextTemporaryNumber()],
      areTemporary: true,
      in: .init(storeIdentifier: nil, entityName: "Item")
    )
    if let item = StoreFixture.storeSchema.entity(named: "Item") {
      changes.insertions = [RowRun(numbers, of: item, in: nil, from: row)]
    }
    return changes
  }

  /// Saves changes on threads of their own, which arrive in their order while the first save waits.
  func save(_ saves: [StoreChanges]) -> [Result<StoreChangesResult, any Error>] {
    run(saves.count) { try store.apply(saves[$0]) }
  }

  /// Saves changes on threads of their own, all of which wait until a function has run.
  func save(
    _ saves: [StoreChanges],
    after work: @escaping @Sendable () throws -> Void
  ) throws -> [Result<StoreChangesResult?, any Error>] {
    let results = run(saves.count + 1) { index -> StoreChangesResult? in
      if index > 0 { return try store.apply(saves[index - 1]) }
      try store.betweenSaves {
        gate.wait { store.waitingSaves }
        try work()
      }
      return nil
    }
    _ = try results[0].get()
    return Array(results.dropFirst())
  }

  func run<Value>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let store = store
    return ArrivingThreads.run(count, at: gate, waiting: { store.waitingSaves }, body)
  }

  func numbers(_ store: JSONFileStore) throws -> [Int64] {
    try store.all().compactMap {
      if case .integer(let number)? = $0["number"] { number } else { nil }
    }
  }

  /// Returns the numbers that another process finds after a kill of this one.
  func numbersAfterKill() throws -> [Int64] { try numbers(fixture.copy().open()) }

  var syncs: Int { access.calls.count { $0 == .sync } }
}
