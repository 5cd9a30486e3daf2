import Foundation
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import Testing

/// What a store deletes after a time, with programs whose clocks are wrong.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Expiry in PostgreSQL` {
  private static let day = 86_400.0

  private let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Trip",
        properties: [StoreProperty(name: "name", kind: .attribute(.string), isOptional: true)]
      )
    ])
  )

  private func withStore(_ body: (PostgreSQLStore) throws -> Void) throws {
    let fixture = SchemaFixture()
    let location = try fixture.makeLocation()
    defer { try? fixture.destroy(location) }
    try body(fixture.open(location, schema: schema))
  }

  /// Saves a row by a program whose clock differs from the server's by some days.
  @discardableResult
  private func save(_ store: PostgreSQLStore, days: Double = 0) throws -> UUID {
    let changes = StoreChanges(inserted: [
      DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Trip"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        names: PropertyNames(["name"]),
        values: [.string("a")]
      )
    ])
    let environment = StoreEnvironment(now: { Date(timeIntervalSinceNow: days * Self.day) })
    _ = try StoreEnvironment.$current.withValue(environment) { try store.apply(changes) }
    return changes.saveIdentifier
  }

  @Test(arguments: [2.0, -2])
  func `the record of a save stays for a day of the server, whatever the programs' clocks`(
    _ days: Double
  ) throws {
    try withStore { store in
      let space = store.space
      let first = try save(store, days: min(days, 0))
      // Each 1,024th save deletes expired records.
      try store.administrate("UPDATE \(space)._meta SET last_save = 1024")
      try save(store, days: max(days, 0))
      guard case .saved(let result) = try store.outcome(ofSave: first) else {
        Issue.record("the save is not recorded")
        return
      }
      #expect(result.version == 1)
      try store.administrate("UPDATE \(space)._saves SET at = at - \(Self.day * 1.1)")
      try store.administrate("UPDATE \(space)._meta SET last_save = 2048")
      try save(store)
      guard case .notSaved = try store.outcome(ofSave: first) else {
        Issue.record("the save is still recorded")
        return
      }
    }
  }

  @Test(arguments: [400.0, -400])
  func `the history expires by the server's clock, whatever the programs' clocks`(
    _ days: Double
  ) throws {
    try withStore { store in
      for number in 0..<40 { try save(store, days: number.isMultiple(of: 2) ? days : 0) }
      #expect(try store.transactions(StoreHistoryQuery()).count == 40)
      #expect(try store.historyBounds().cut == 0)
      let times = try store.transactions(StoreHistoryQuery()).map(\.timestamp.timeIntervalSinceNow)
      #expect(abs(times[0] - days * Self.day) < Self.day && abs(times[1]) < Self.day)
      let space = store.space
      try store.administrate(
        "UPDATE \(space)._history SET stored_at = stored_at - \(31 * Self.day) WHERE number <= 20"
      )
      for _ in 0..<20 { try save(store) }
      #expect(try store.historyBounds().cut == 20)
    }
  }

  @Test func `a store without times of the server is upgraded when it is opened`() throws {
    try withStore { store in
      let space = store.space
      try save(store)
      try store.administrate("ALTER TABLE \(space)._history DROP COLUMN stored_at")
      try store.administrate(
        "ALTER TABLE \(space)._meta DROP COLUMN save, DROP COLUMN previous_save"
      )
      try store.administrate("UPDATE \(space)._meta SET format = 1")
      let upgraded = try PostgreSQLStore(store.configuration)
      for _ in 0..<20 { try save(upgraded) }
      #expect(try upgraded.transactions(StoreHistoryQuery()).count == 21)
      #expect(try upgraded.administrate("SELECT format FROM \(space)._meta") == 2)
    }
  }
}
