import Foundation
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import StoreTestSupport
import Synchronization

/// A store in a new schema of a server.
struct GroupSample: GroupSampling {
  let store: PostgreSQLStore
  /// The gate at which the first save waits.
  let gate: WaitingGate

  private static let mark = StoreEntity(
    name: "Mark",
    properties: [StoreProperty(name: "name", kind: .attribute(.string), isOptional: true)]
  )
  private static let beacon = StoreEntity(
    name: "Beacon",
    properties: [
      StoreProperty(name: "code", kind: .attribute(.string), isUnique: true),
      StoreProperty(name: "height", kind: .attribute(.int64), isOptional: true),
    ]
  )

  /// Runs a body with a store at a socket in a folder, or at that of the server.
  ///
  /// - Parameters:
  ///   - folder: The folder of the socket.
  ///   - count: The number of saves for which the first one waits.
  ///   - timeout: The store's timeout.
  ///   - body: The function.
  /// - Throws: The errors of the body.
  static func with(
    folder: String? = nil,
    waiting count: Int,
    timeout: Duration = .seconds(30),
    _ body: (GroupSample) throws -> Void
  ) throws {
    let cluster = try PrivateCluster.shared()
    let name = "g" + UUID().uuidString
    let schema = Schema(storeSchema: StoreSchema(entities: [mark, beacon]))
    var configuration = try PostgreSQLStoreConfiguration(
      cluster.configuration(folder: folder),
      databaseSchema: name,
      schema: schema
    )
    configuration.timeout = timeout
    defer {
      try? SchemaFixture().destroy(
        PostgreSQLStoreConfiguration(cluster.configuration(), databaseSchema: name, schema: schema)
      )
    }
    let store = try PostgreSQLStore(configuration)
    // The number of the next save is then known.
    _ = try store.apply(StoreChanges())
    try body(GroupSample(store: store, gate: WaitingGate(for: count)))
  }

  func newMark(_ name: String) -> StoreChanges { newMark(name) {} }

  /// Returns a new row, whose values the store reads after a function.
  func newMark(_ name: String, onWrite: @escaping @Sendable () -> Void) -> StoreChanges {
    let numbers = RowIdentifiers(
      [PersistentIdentifier.nextTemporaryNumber()],
      areTemporary: true,
      in: .init(storeIdentifier: nil, entityName: "Mark")
    )
    let row = WaitingRow(
      [0: .string(name)],
      at: gate,
      waiting: { [store] in store.waitingSaves },
      onWrite: onWrite
    )
    var changes = StoreChanges()
    changes.insertions = [RowRun(numbers, of: Self.mark, in: nil, from: row)]
    return changes
  }

  /// Returns three new rows, before the last of which a function runs, once.
  ///
  /// The saves are one group by then, of which the server has nothing yet.
  func newMarks(beforeLast work: @escaping @Sendable () -> Void) -> [StoreChanges] {
    let last = newMark("3", onWrite: Self.once(work))
    return [newMark("1"), newMark("2"), last]
  }

  private static func once(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let hasRun = Atomic(false)
    return { if !hasRun.exchange(true, ordering: .acquiringAndReleasing) { work() } }
  }

  /// Returns the deletion of the first row of the store, a beacon.
  func deletion() -> StoreChanges {
    let scope = PersistentIdentifier.Scope(
      storeIdentifier: store.identifier,
      entityName: "Beacon"
    )
    return StoreChanges(deleted: [PersistentIdentifier(scope: scope, key: .integer(1))])
  }

  /// Opens the store with another timeout.
  func opened(timeout: Duration) throws -> PostgreSQLStore {
    var configuration = store.configuration
    configuration.timeout = timeout
    return try PostgreSQLStore(configuration)
  }

  func newBeacon(_ code: String, height: Int64) -> StoreChanges {
    StoreChanges(
      inserted: [
        DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(
            scope: .init(storeIdentifier: nil, entityName: "Beacon"),
            key: .temporary(PersistentIdentifier.nextTemporaryNumber())
          ),
          entity: Self.beacon,
          values: [.string(code), .integer(height)]
        )
      ]
    )
  }

  func names() throws -> [String] {
    try store.fetch(StoreQuery(entity: "Mark")).compactMap {
      if case .string(let name)? = $0["name"] { name } else { nil }
    }
  }

  /// The number of transactions that stored the saves after one with a number.
  func transactions(after number: Int = 1) throws -> Int64? {
    try store.administrate(
      "SELECT count(DISTINCT xmin::text) FROM \(store.space)._saves WHERE number > \(number)"
    )
  }
}
