import Foundation
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import Testing

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQLStore tests` {
  private let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Trip",
        properties: [
          StoreProperty(name: "name", kind: .attribute(.string), isOptional: true, isUnique: true),
          StoreProperty(name: "_key", kind: .attribute(.uint64), isOptional: true),
          StoreProperty(name: "price", kind: .attribute(.decimal), isOptional: true),
        ]
      )
    ])
  )

  private func record(_ values: StoreValue...) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Trip"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(["name", "_key", "price"]),
      values: values
    )
  }

  /// Runs a body with the configuration of a new store, whose schema is removed afterward.
  private func withStore(
    through proxy: FaultProxy? = nil,
    poolOf name: String = "tests",
    _ body: (PostgreSQLStoreConfiguration) throws -> Void
  ) throws {
    let cluster = try PrivateCluster.shared()
    var connection = cluster.configuration(folder: proxy?.folder.path)
    connection.parameters["application_name"] = name
    let configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: "t" + UUID().uuidString,
      schema: schema
    )
    defer { try? SchemaFixture().destroy(configuration) }
    try body(configuration)
  }

  @Test func `a row can be read in SQL by its entity and property names`() throws {
    try withStore { configuration in
      let store = try PostgreSQLStore(configuration)
      let price = try #require(Decimal(string: "12.50"))
      let row = record(.string("a\u{0}b"), .unsigned(.max), .decimal(price))
      _ = try store.apply(StoreChanges(inserted: [row]))
      let connection = try PrivateCluster.shared().connect()
      let found = try connection.run(
        Statement(
          "SELECT _key, _version, name, \"__key\"::text, price::text "
            + "FROM \"\(configuration.databaseSchema)\".\"Trip\""
        )
      )
      #expect(try found.value(0, 0, as: Int64.self) == 1)
      #expect(try found.value(0, 1, as: Int64.self) == 1)
      #expect(try found.value(0, 2, as: String.self) == "a\u{1}\u{1}b")
      #expect(try found.value(0, 3, as: String.self) == "18446744073709551615")
      #expect(try found.value(0, 4, as: String.self) == "12.5")
      #expect(try store.fetch(StoreQuery(entity: "Trip")).first?.values == row.values)
    }
  }

  @Test func `what follows a token is read without the transactions before it`() throws {
    try withStore { configuration in
      let store = try PostgreSQLStore(configuration)
      for name in ["a", "b", "c", "d"] {
        _ = try store.apply(StoreChanges(inserted: [record(.string(name), .null, .null)]))
      }
      let space = "\"\(configuration.databaseSchema)\""
      let connection = try PrivateCluster.shared().connect()
      _ = try connection.run(
        Statement("UPDATE \(space)._history SET groups = '{}' WHERE number IN (1, 4)")
      )
      let filter = StoreHistoryFilter.number(.greater, 1)
      let found = try store.transactions(StoreHistoryQuery(filter: filter, limit: 2))
      #expect(found.map(\.number) == [2, 3])
      #expect(throws: DataStoreError.storeDamaged) {
        try store.transactions(StoreHistoryQuery(filter: filter))
      }
      #expect(try store.historyBounds().last == 4)
      #expect(try store.saveIdentifier(at: 2) == found.first?.saveIdentifier)
      // Only conditions on changes read them.
      try store.deleteTransactions(.number(.lessOrEqual, 1))
      #expect(try store.historyBounds().cut == 1)
    }
  }

  @Test func `a save whose COMMIT did not arrive is reported as not saved, permanently`() throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try withStore(through: proxy) { configuration in
      let store = try PostgreSQLStore(configuration)
      let changes = StoreChanges(inserted: [record(.string("a"), .null, .null)])
      proxy.set { $0 == .toServer && $1.contains("COMMIT\0") ? .cut : .pass }
      #expect(throws: DataStoreError.outcomeUnknown) { try store.apply(changes) }
      proxy.set { _, _ in .pass }
      guard case .notSaved = try store.outcome(ofSave: changes.saveIdentifier) else {
        Issue.record("the save is reported as saved")
        return
      }
      #expect(throws: DataStoreError.conflict) { try store.apply(changes) }
      #expect(try store.count(StoreQuery(entity: "Trip")) == 0)
    }
  }

  @Test func `a save whose response was lost is reported as saved, with its result`() throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try withStore(through: proxy) { configuration in
      let store = try PostgreSQLStore(configuration)
      let row = record(.string("a"), .null, .null)
      let changes = StoreChanges(inserted: [row])
      proxy.set { $0 == .toClient && $1.contains("COMMIT\0") ? .cut : .pass }
      #expect(throws: DataStoreError.outcomeUnknown) { try store.apply(changes) }
      proxy.set { _, _ in .pass }
      guard case .saved(let result) = try store.outcome(ofSave: changes.saveIdentifier) else {
        Issue.record("the save is reported as not saved")
        return
      }
      let stored = try store.fetch(StoreQuery(entity: "Trip"))
      #expect(stored.map(\.persistentIdentifier) == [result.remapped[row.persistentIdentifier]])
      #expect(result.version == 1)
    }
  }

  @Test func `a schema without an entity that has rows is refused, and nothing changes`() throws {
    try withStore { configuration in
      let store = try PostgreSQLStore(configuration)
      _ = try store.apply(StoreChanges(inserted: [record(.string("a"), .null, .null)]))
      var other = configuration
      other.schema = Schema()
      #expect(throws: DataStoreError.schemaMismatch) { try PostgreSQLStore(other) }
      #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
    }
  }

  @Test func `a watch reports the saves of another handle`() throws {
    try withStore { configuration in
      let store = try PostgreSQLStore(configuration)
      let watch = try #require(try store.watch())
      #expect(try watch.newSaves() == nil)
      let other = try PostgreSQLStore(configuration)
      for _ in 0..<2 {
        _ = try other.apply(StoreChanges(inserted: [record(.null, .null, .null)]))
      }
      #expect(try watch.newSaves() == 1...2)
      #expect(try watch.newSaves() == nil)
    }
  }

  @Test
  func
    `a fetch, a count, related objects and a save take one round trip`()
    throws
  {
    // Other tests do not use the pool.
    try withStore(poolOf: "round trips") { configuration in
      var configuration = configuration
      configuration.schema = Schema([Harbor.self, Ferry.self])
      let store = try PostgreSQLStore(configuration)
      func roundTrips(_ body: () throws -> Void) throws -> Int {
        let before = try store.roundTrips()
        try body()
        return try store.roundTrips() - before
      }
      let entity = try #require(store.schema.storeSchema.entity(named: "Ferry"))
      let ferry = DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Ferry"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        entity: entity,
        values: entity.properties.map { $0.name == "length" ? .double(75) : .null }
      )
      // Only the first save looks for expired transactions of the history.
      _ = try store.apply(StoreChanges())
      var stored: PersistentIdentifier?
      let insertion = try roundTrips {
        stored = try store.apply(StoreChanges(inserted: [ferry]))
          .remapped[ferry.persistentIdentifier]
      }
      #expect(insertion == 1)
      let found = try #require(stored)
      let length = try #require(entity.indexByName["length"])
      let update = StoreUpdate(identifier: found, changes: [.init(length, .double(80))])
      let updating = try roundTrips { _ = try store.apply(StoreChanges(updated: [update])) }
      #expect(updating == 1)
      let long = StoreQuery(
        entity: "Ferry",
        filter: .compare(.greater, .property(.element(0), "length"), .constant(.double(76))),
        sort: [QuerySort(property: "length")],
        limit: 10
      )
      var identifiers: [PersistentIdentifier] = []
      var count = 0
      let fetching = try roundTrips {
        identifiers = try store.fetch(long).map(\.persistentIdentifier)
      }
      #expect(fetching == 1)
      #expect(identifiers == [found])
      let counting = try roundTrips { count = try store.count(long) }
      #expect(counting == 1)
      #expect(count == 1)
      let naming = try roundTrips { _ = try store.identifiers(long) }
      #expect(naming == 1)
      let selection = StoreSelection(
        StoreQuery(entity: "Ferry"),
        groups: [.property(.element(0), "length")],
        columns: [.count]
      )
      let grouping = try roundTrips { try store.select(selection) { _ in } }
      #expect(grouping == 1)
      let prefetching = try roundTrips {
        let owners = (1...3).map {
          PersistentIdentifier(.integer($0), of: "Harbor", in: store.identifier)
        }
        _ = try store.members(of: "ferries", in: "Harbor", owners: owners, wantsRows: true) {
          _,
          _ in
        }
      }
      #expect(prefetching == 1)
    }
  }

  @Test func `rows and history within one state agree despite concurrent saves`() throws {
    try withStore(poolOf: "one state") { configuration in
      let store = try PostgreSQLStore(configuration)
      let query = StoreQuery(entity: "Trip")
      func changedRows() throws -> [PersistentIdentifier] {
        try store.transactions(StoreHistoryQuery()).flatMap { $0.changes.map(\.identifier) }
      }
      func saveElsewhere(_ name: String) throws {
        let row = record(.string(name), .null, .null)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = try? store.apply(StoreChanges(inserted: [row]))
          done.signal()
        }
        done.wait()
      }
      try saveElsewhere("before")
      let before = try store.identifiers(query)
      #expect(before.count == 1)
      var trips: [Int] = []
      try store.readingOneState {
        trips.append(try store.roundTrips())
        #expect(try store.identifiers(query) == before)
        trips.append(try store.roundTrips())
        try saveElsewhere("meanwhile")
        #expect(try store.count(query) == 1)
        #expect(try changedRows() == before)
        #expect(try store.historyBounds().last == 1)
        var nested: [PersistentIdentifier] = []
        try store.readingOneState { nested = try store.identifiers(query) }
        #expect(nested == before)
        let members = try store.members(of: "name", in: "Trip", owners: before)
        #expect(members.isEmpty)
      }
      #expect(trips[1] - trips[0] == 1)
      #expect(try store.identifiers(query).count == 2)
      #expect(try changedRows() == store.identifiers(query))
      struct Planned: Error {}
      #expect(throws: Planned.self) { try store.readingOneState { throw Planned() } }
      #expect(throws: DataStoreError.self) {
        try store.readingOneState { _ = try store.identifiers(StoreQuery(entity: "Nothing")) }
      }
      try saveElsewhere("after")
      #expect(try store.count(query) == 3)
    }
  }

  @Test func `filters and sort orders are evaluated in SQL and explained by the server`() throws {
    try withStore { configuration in
      let store = try PostgreSQLStore(configuration)
      func property(_ name: String) -> QueryExpression { .property(.element(0), name) }
      let conditions: [QueryExpression] = [
        .compare(.equal, property("name"), .constant(.string("é"))),
        .compare(.less, property("price"), .constant(.decimal(3))),
        .contains(.constant(.array([.string("a"), .null])), property("name")),
        .not(.compare(.equal, property("_key"), .constant(.null))),
        .isInRange(
          property("_key"),
          lower: .constant(.integer(1)),
          upper: .constant(.integer(9)),
          closed: true
        ),
      ]
      let query = StoreQuery(
        entity: "Trip",
        filter: .and([.or(Array(conditions.dropLast())), conditions[4]]),
        sort: [QuerySort(property: "name"), QuerySort(property: "price", isReversed: true)],
        offset: 1,
        limit: 2
      )
      let explanation = try store.explain(.query(query))
      #expect(explanation.isNative)
      #expect(explanation.statements[0].hasSuffix(" LIMIT $6 OFFSET $7"))
      #expect(explanation.steps.contains { $0.contains("Sort") })
      // Syllables of several letters are not compared on the server.
      let tests: [QueryExpression] = [
        .text(.startsWith, property("name"), .constant(.string("a"))),
        .text(.contains, property("name"), .constant(.string("é."))),
        .text(.contains, property("name"), .constant(.string("각"))),
      ]
      let prefix = StoreQuery(entity: "Trip", filter: .and([conditions[0]] + tests))
      let split = try store.explain(.query(prefix))
      #expect(split.nativeFilter == .and([conditions[0], tests[0], tests[1]]))
      #expect(split.remainingFilter == tests[2])
    }
  }

  @Test func `a string of any length can be unique`() throws {
    try withStore { configuration in
      let store = try PostgreSQLStore(configuration)
      // Random: the server cannot compress the string to a length that an index accepts.
      var state: UInt64 = 7
      let string = (0..<2000).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return "é" + String(state, radix: 36)
      }.joined()
      let first = record(.string(string), .null, .null)
      let stored = try store.apply(StoreChanges(inserted: [first]))
      let second = record(.string(string.decomposedStringWithCanonicalMapping), .integer(2), .null)
      let merged = try store.apply(StoreChanges(inserted: [second]))
      #expect(
        merged.remapped[second.persistentIdentifier] == stored.remapped[first.persistentIdentifier]
      )
      #expect(try store.count(StoreQuery(entity: "Trip")) == 1)
    }
  }
}

@Suite struct `PostgreSQLStoreConfiguration tests` {
  @Test func `a URL names the store's schema, and the store's name has no password`() throws {
    let url = "postgres://ann:secret@db.example:5433/trips?schema=My%20trips"
    let configuration = try PostgreSQLStoreConfiguration(url: url)
    #expect(configuration.databaseSchema == "My trips")
    #expect(configuration.name == "postgres://ann@db.example:5433/trips?schema=My trips")
    #expect(!"\(configuration.name)".contains("secret"))
  }

  @Test(arguments: [
    "postgres://host/db", "postgres://host/db?schema=a&colour=red", "postgres://host/db?schema=",
    "sqlite:a.db",
    "postgres://host/db?schema=" + String(repeating: "a", count: 64),
  ])
  func `a URL without a usable schema is refused`(_ url: String) {
    #expect(throws: DataStoreError.invalidConfiguration) {
      try PostgreSQLStoreConfiguration(url: url)
    }
  }

  @Test func `long names and reserved names are quoted uniquely`() throws {
    let long = String(repeating: "ä", count: 60)
    let names = try ["_meta", "__meta", "meta", long + "a", long + "b"].map(PostgreSQLStore.quoted)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.utf8.count <= 65 })
    #expect(!names.contains("\"_meta\""))
  }
}

extension [UInt8] {
  fileprivate func contains(_ string: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(string)
  }
}
