import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreProtocol
import Synchronization
import Testing

@testable import PostgreSQLStore

/// Reads that wait for the lock of a migration, which ends meanwhile.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Reads in PostgreSQL during a migration` {
  /// The ways in which a store reads.
  enum Read: String, CaseIterable {
    case fetch, record, count, identifiers, related, selection, keys, row, copy
    case remaining, oneState

    /// Reads the piers, and returns the number of rows that were read.
    func callAsFunction(_ store: PostgreSQLStore) throws -> Int {
      let piers = StoreQuery(entity: "Pier")
      var count = 0
      switch self {
      case .fetch, .copy: try store.read(piers) { _ in count += 1 }
      case .record: count = try store.fetch(piers).count
      case .count: count = try store.count(piers)
      case .identifiers: count = try store.identifiers(piers).count
      case .related:
        let owners = (1...4).map {
          PersistentIdentifier(.integer($0), of: "Pier", in: store.identifier)
        }
        _ = try store.members(of: "boats", in: "Pier", owners: owners, wantsRows: true) { _, _ in
          count += 1
        }
      case .selection:
        let number = StoreSelection(piers, groups: [], columns: [.count])
        try store.select(number) { row in
          if case .integer(let number)? = row.first { count = Int(number) }
        }
      case .keys: try store.read(StoreQuery(entity: "Pier", properties: [])) { _ in count += 1 }
      case .row:
        for key: Int64 in 1...4 { try store.read(.pier(key, of: store)) { _ in count += 1 } }
      case .remaining:
        let name = QueryExpression.property(.element(0), "name")
        let filter = QueryExpression.text(
          .localizedStandardContains,
          name,
          .constant(.string("É"))
        )
        count = try store.fetch(StoreQuery(entity: "Pier", filter: .not(filter))).count
      case .oneState: try store.readingOneState { count = try store.count(piers) }
      }
      return count
    }
  }

  private func withStore(
    isolation: String?,
    copies: Bool,
    _ body: (PostgreSQLStoreConfiguration) throws -> Void
  ) throws {
    var connection = try PrivateCluster.shared().configuration()
    connection.parameters["application_name"] = "l" + UUID().uuidString
    if let isolation {
      connection.parameters["options"] =
        "-c default_transaction_isolation=\(isolation.replacing(" ", with: "\\ "))"
    }
    var configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: "l" + UUID().uuidString
    )
    configuration.copiedRows = copies ? 0 : .max
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: FirstPiers.self),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    let pier = FirstPiers.Pier(name: "a", length: "12")
    context.insert(pier)
    pier.boats = (0..<3).map { _ in FirstPiers.Boat() }
    try context.save()
    configuration.schema = Schema(versionedSchema: FirstPiers.self)
    try body(configuration)
  }

  /// What a migration does to the tables, whose columns remain so that statements still fit.
  private func migrate(_ space: String, on connection: Connection) throws {
    var statements: [String] = []
    for table in ["Boat", "Pier"] {
      statements += [
        "CREATE TABLE \(space).new (LIKE \(space).\"\(table)\" INCLUDING ALL)",
        "INSERT INTO \(space).new SELECT * FROM \(space).\"\(table)\"",
        "DROP TABLE \(space).\"\(table)\"",
        "ALTER TABLE \(space).new RENAME TO \"\(table)\"",
      ]
    }
    statements.append("UPDATE \(space)._meta SET structure = structure + 1")
    for statement in statements { try connection.run(Statement(statement)) }
  }

  @Test(arguments: Read.allCases, [nil, "repeatable read", "serializable"] as [String?])
  func `throw schemaMismatch after they waited`(_ read: Read, _ isolation: String?) throws {
    try withStore(isolation: isolation, copies: read == .copy) { configuration in
      let store = try PostgreSQLStore(configuration)
      // Statements are prepared at their second use.
      for _ in 0..<3 { #expect(try read(store) > 0) }
      let cluster = try PrivateCluster.shared()
      let (migration, observer) = (try cluster.connect(), try cluster.connect())
      try migration.begin(TransactionOptions(.readCommitted))
      try migrate("\"\(configuration.databaseSchema)\"", on: migration)
      let result = Mutex<Result<Int, any Error>?>(nil)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let found = Result { try read(store) }
        result.withLock { $0 = found }
        done.signal()
      }
      let waiting = Statement(
        """
        SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 \
        AND wait_event_type = 'Lock'
        """,
        [Parameter(configuration.connection.parameters["application_name"])]
      )
      while try observer.run(waiting).integer(0, 0) == 0 { sched_yield() }
      try migration.commit()
      done.wait()
      let error = #expect(throws: DataStoreError.self) {
        _ = try #require(result.withLock { $0 }).get()
      }
      #expect(error == .schemaMismatch, "\(String(describing: error))")
      #expect(throws: DataStoreError.schemaMismatch) { try read(store) }
    }
  }

  @Test func `take one round trip with COPY, and by key in one statement`() throws {
    try withStore(isolation: nil, copies: true) { configuration in
      let store = try PostgreSQLStore(configuration)
      for read in [Read.copy, .fetch, .row, .count, .related] {
        _ = try read(store)
        let before = try store.roundTrips()
        #expect(try read(store) > 0)
        let expected = read == .row ? 4 : 1
        #expect(try store.roundTrips() - before == expected, "\(read)")
      }
      var rows = 0
      try store.read(.pier(77, of: store)) { _ in rows += 1 }
      try store.readingOneState {
        try store.read(.pier(77, of: store)) { _ in rows += 1 }
        try store.read(.pier(1, of: store)) { _ in rows += 1 }
      }
      #expect(rows == 1)
      #expect(store.latestSave == 1)
    }
  }
}

extension StoreQuery {
  fileprivate static func pier(_ key: Int64, of store: PostgreSQLStore) -> StoreQuery {
    .row(PersistentIdentifier(.integer(key), of: "Pier", in: store.identifier), of: "Pier")
  }
}
