import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport

/// A store whose next save waits until some others wait for it.
struct GroupSample: GroupSampling {
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

  func numbers(_ store: JSONFileStore) throws -> [Int64] {
    try store.all().compactMap {
      if case .integer(let number)? = $0["number"] { number } else { nil }
    }
  }

  /// Returns the numbers that another process finds after a kill of this one.
  func numbersAfterKill() throws -> [Int64] { try numbers(fixture.copy().open()) }

  var syncs: Int { access.calls.count { $0 == .sync } }
}
