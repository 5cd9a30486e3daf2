import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreProtocol
import StoreTestSupport
import Testing

@testable import PostgreSQLStore

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Rows written directly from objects` {
  private struct Rows: RowProducer {
    var entityName = "Buoy"
    let properties: [Int]
    var keys: [Int64] = []
    let values: [[StoreValue]]

    /// The rows as the changes of a save: new ones, unless they have keys.
    func changes(deleting deleted: [PersistentIdentifier] = []) throws -> StoreChanges {
      let schema = `Rows written directly from objects`.schema.storeSchema
      let entity = try schema.requiredEntity(entityName)
      let numbers = values.map { _ in PersistentIdentifier.nextTemporaryNumber() }
      let run = RowRun(
        RowIdentifiers(
          keys.isEmpty ? numbers : keys,
          areTemporary: keys.isEmpty,
          in: .init(storeIdentifier: nil, entityName: entityName)
        ),
        changing: keys.isEmpty ? [] : properties,
        of: entity,
        in: nil,
        from: self
      )
      var changes = StoreChanges(deleted: deleted)
      if keys.isEmpty { changes.insertions = [run] } else { changes.updates = [run] }
      return changes
    }

    func write(_ position: Int, to writer: RowWriter) {
      for (property, value) in zip(properties, values[position]) {
        switch value {
        case .string(let text): writer.write(text, at: property)
        case .integer(let number): writer.write(number, at: property)
        default: writer.write(value, at: property)
        }
      }
    }
  }

  private static let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Buoy",
        properties: [
          StoreProperty(name: "name", kind: .attribute(.string), isOptional: true),
          StoreProperty(name: "depth", kind: .attribute(.int64), isOptional: true),
        ]
      ),
      StoreEntity(
        name: "Chart",
        properties: [StoreProperty(name: "image", kind: .attribute(.data), isOptional: true)]
      ),
      StoreEntity(
        name: "Light",
        properties: [
          StoreProperty(name: "code", kind: .attribute(.string), isUnique: true),
          StoreProperty(name: "number", kind: .attribute(.int64), isOptional: true, isUnique: true),
          StoreProperty(
            name: "buoy",
            kind: .toOne(StoreRelationship(destination: "Buoy")),
            isOptional: true
          ),
          StoreProperty(name: "near", kind: .toMany(StoreRelationship(destination: "Light"))),
        ]
      ),
    ])
  )

  /// New lights, each with a code, a number and the key of a buoy.
  private func lights(
    _ values: [(code: String, number: Int64?, buoy: PersistentIdentifier?)]
  ) throws -> StoreChanges {
    let rows = Rows(
      entityName: "Light",
      properties: [0, 1, 2],
      values: values.map { code, number, buoy in
        [
          .string(code), number.map(StoreValue.integer) ?? .null,
          buoy.map(StoreValue.identifier) ?? .null,
        ]
      }
    )
    return try rows.changes()
  }

  private func stored(in store: PostgreSQLStore) throws -> [[StoreValue]] {
    try store.fetch(StoreQuery(entity: "Light")).map { Array($0.values.prefix(3)) }
  }

  private func withStore(_ body: (PostgreSQLStore) throws -> Void) throws {
    let cluster = try PrivateCluster.shared()
    var connection = cluster.configuration(folder: nil)
    // A pool of its own, so that other tests make no round trips on its connection.
    connection.parameters["application_name"] = UUID().uuidString
    let configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: "t" + UUID().uuidString,
      schema: Self.schema
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let store = try PostgreSQLStore(configuration)
    // Only the first save looks for expired transactions of the history.
    _ = try store.apply(StoreChanges())
    try body(store)
  }

  /// Inserts rows, and returns their keys.
  private func insert(_ names: [String], into store: PostgreSQLStore) throws -> [Int64] {
    let rows = Rows(properties: [0, 1], values: names.map { [.string($0), .integer(1)] })
    let result = try store.apply(rows.changes())
    let first = try #require(result.firstKeys.first)
    return Array(first..<first + Int64(names.count))
  }

  private func roundTrips(
    in store: PostgreSQLStore,
    _ body: () throws -> Void
  ) throws -> Int {
    let before = try store.roundTrips()
    try body()
    return try store.roundTrips() - before
  }

  private func names(in store: PostgreSQLStore) throws -> [[UInt8]] {
    try store.fetch(StoreQuery(entity: "Buoy")).map { record in
      guard case .string(let name) = record.values[0] else { return [] }
      return Array(name.utf8)
    }
  }

  @Test func `strings keep their spelling when they are inserted and changed`() throws {
    try withStore { store in
      func marked() throws -> Int64? {
        try store.count(of: "Buoy", where: "_spelling IS NOT NULL")
      }
      let spellings = ["a", "e\u{301}", "\u{0}\u{1}", "\u{E9}", "\u{1100}\u{1161}"]
      let keys = try insert(spellings, into: store)
      #expect(try names(in: store) == spellings.map { Array($0.utf8) })
      #expect(try marked() == 2)
      // The first row becomes one with a spelling, and the others lose theirs.
      let changed = ["o\u{308}", "b", "c", "d", "e"]
      for (key, name) in zip(keys, changed) {
        let update = Rows(properties: [0], keys: [key], values: [[.string(name)]])
        _ = try store.apply(update.changes())
      }
      #expect(try names(in: store) == changed.map { Array($0.utf8) })
      #expect(try marked() == 1)
      #expect(
        try store.fetch(StoreQuery(entity: "Buoy")).map { $0.values[1] }
          == Array(repeating: .integer(1), count: 5)
      )
    }
  }

  @Test func `a changed row that is no longer stored is a conflict, and nothing is saved`() throws {
    try withStore { store in
      let keys = try insert(["a", "b"], into: store)
      let scope = try store.map.scope(of: "Buoy")
      let gone = PersistentIdentifier(scope: scope, key: .integer(keys[1]))
      let update = Rows(properties: [1], keys: keys, values: [[.integer(2)], [.integer(2)]])
      func expectConflict(deleting deleted: [PersistentIdentifier] = []) {
        let error = #expect(throws: DataStoreError.self) {
          try store.apply(update.changes(deleting: deleted))
        }
        #expect(error == .conflict)
      }
      expectConflict(deleting: [gone])
      #expect(try store.count(StoreQuery(entity: "Buoy")) == 2)
      _ = try store.apply(StoreChanges(deleted: [gone]))
      expectConflict()
      #expect(try store.fetch(StoreQuery(entity: "Buoy")).map { $0.values[1] } == [.integer(1)])
    }
  }

  @Test func `many rows take one round trip, and are in the history`() throws {
    try withStore { store in
      let count = 2 * TableRows.rowsAtOnce + 1
      var keys: [Int64] = []
      let inserting = try roundTrips(in: store) {
        keys = try insert((0..<count).map { "buoy \($0)" }, into: store)
      }
      #expect(inserting == 1)
      let update = Rows(
        properties: [0, 1],
        keys: keys,
        values: (0..<count).map { [.string("\($0)"), .integer(Int64($0))] }
      )
      let updating = try roundTrips(in: store) {
        _ = try store.apply(update.changes())
      }
      #expect(updating == 1)
      let records = try store.fetch(StoreQuery(entity: "Buoy"))
      #expect(records.map { $0.persistentIdentifier.integerKey } == keys)
      #expect(records.map(\.values) == update.values)
      #expect(Set(records.map(\.version)).count == 1)
      let changes = try store.transactions(StoreHistoryQuery()).map(\.changes.count)
      #expect(changes == [count, count])
      #expect(try store.nextKey() == keys.last.map { $0 + 1 })
    }
  }

  /// The server takes no array of more than a gigabyte.
  @Test func `large rows are written by several statements`() throws {
    try withStore { store in
      let table = try store.map.table(of: "Chart")
      let rows = TableRows(of: table, store.map, replacing: false)
      let image = Data(repeating: 7, count: 3 << 20)
      let charts = Rows(
        entityName: "Chart",
        properties: [0],
        values: Array(repeating: [.data(image)], count: 23)
      )
      for position in 0..<23 {
        try rows.add(position, of: charts, "Chart", key: Int64(position), version: 1)
      }
      let statements = try rows.finish()
      #expect(statements.count == 2)
      _ = try store.apply(charts.changes())
      let stored = try store.fetch(StoreQuery(entity: "Chart")).map(\.values)
      #expect(stored == charts.values)
    }
  }

  @Test func `a row of more than a gigabyte is refused with its property`() throws {
    try withStore { store in
      let image = Data(repeating: 7, count: 1 << 30)
      let charts = Rows(entityName: "Chart", properties: [0], values: [[.data(image)]])
      let error = #expect(throws: DataStoreError.self) {
        try store.apply(charts.changes())
      }
      #expect(error == .invalidValue)
      #expect(error?.entity == "Chart" && error?.property == "image")
      let count = try store.count(StoreQuery(entity: "Chart"))
      #expect(count == 0)
    }
  }

  @Test func `rows with unique values take one round trip until one has the values of another`()
    throws
  {
    try withStore { store in
      _ = try insert(["a"], into: store)
      let trips = try roundTrips(in: store) {
        _ = try store.apply(lights((1...3000).map { (n: Int64) in ("light \(n)", n, nil) }))
      }
      #expect(trips == 1)
      // One has the code of a stored row, and two have a number in common.
      let changes = try lights([
        ("new", 4001, nil), ("light 7", 4002, nil), ("x", 4003, nil), ("last", 4004, nil),
        ("y", 4003, nil),
      ])
      let new = changes.insertions.flatMap(\.identifiers)
      var result = StoreChangesResult()
      // The assumption, its end, the numbers, the stored rows, and the save.
      let merging = try roundTrips(in: store) { result = try store.apply(changes) }
      #expect(merging == 5)
      #expect(result.merged == [new[1], new[4]])
      let keys = new.map { result.remapped[$0]?.integerKey ?? 0 }
      #expect(keys == [3002, 8, 3003, 3004, 3003])
      let rows = try stored(in: store)
      #expect(rows.count == 3003)
      #expect(rows[6] == [.string("light 7"), .integer(4002), .null])
      #expect(
        rows.suffix(3) == [
          [.string("new"), .integer(4001), .null], [.string("y"), .integer(4003), .null],
          [.string("last"), .integer(4004), .null],
        ]
      )
      let history = try store.transactions(StoreHistoryQuery()).last?.changes ?? .init()
      let inserted = history.filter { $0.kind == .insert }
      #expect(inserted.count == 3)
      let causes = history.filter { $0.kind == .update }.map(\.cause)
      #expect(causes == [.merge])
      #expect(try store.nextKey() == 3005)
    }
  }

  @Test func `merges follow each other over all unique values, in the order of the rows`() throws {
    try withStore { store in
      _ = try store.apply(lights([("a", 1, nil)]))
      _ = try PostgreSQLStore(store.configuration).apply(StoreChanges())
      // The first takes the number 2, by which the second is merged, and then the third by its code.
      _ = try store.apply(lights([("a", 2, nil), ("b", 2, nil), ("b", 3, nil), ("a", 4, nil)]))
      let rows = try stored(in: store)
      #expect(
        rows == [
          [.string("b"), .integer(3), .null], [.string("a"), .integer(4), .null],
        ]
      )
    }
  }

  @Test func `a new row with a unique value that the save changes or deletes is a row of its own`()
    throws
  {
    try withStore { store in
      let first = try store.apply(lights([("a", 1, nil), ("b", 2, nil)]))
      let scope = try store.map.scope(of: "Light")
      let key = try #require(first.firstKeys.first)
      let rows = (0..<2).map { PersistentIdentifier(scope: scope, key: .integer(key + $0)) }
      for (code, next) in [("a", "c"), ("c", "d"), ("d", "e")] {
        // After a save of another store, no save relies on numbers and unique values.
        if code == "c" { _ = try PostgreSQLStore(store.configuration).apply(StoreChanges()) }
        var changes = try lights([(code, nil, nil)])
        changes.updated = [StoreUpdate(identifier: rows[0], changes: [.init(0, .string(next))])]
        #expect(try store.apply(changes).merged.isEmpty)
      }
      var changes = try lights([("b", 2, nil)])
      changes.deleted = [rows[1]]
      #expect(try store.apply(changes).merged.isEmpty)
      let codes = try stored(in: store).map { $0[0] }
      #expect(codes == ["e", "a", "c", "d", "b"].map(StoreValue.string))
    }
  }

  @Test func `rows refer to new and stored rows in one round trip, and to no row that is deleted`()
    throws
  {
    try withStore { store in
      let keys = try insert(["a", "b"], into: store)
      let scope = try store.map.scope(of: "Buoy")
      let buoys = keys.map { PersistentIdentifier(scope: scope, key: .integer($0)) }
      var changes = try Rows(properties: [0], values: [[.string("new")]]).changes()
      let new = try #require(changes.insertions.first?.identifiers.first)
      changes.insertions += try lights([("x", 1, new), ("y", 2, buoys[0])]).insertions
      let trips = try roundTrips(in: store) { _ = try store.apply(changes) }
      #expect(trips == 1)
      let created = PersistentIdentifier(scope: scope, key: .integer(keys[1] + 1))
      #expect(try stored(in: store).map { $0[2] } == [.identifier(created), .identifier(buoys[0])])

      _ = try store.apply(StoreChanges(deleted: [buoys[1]]))
      let lost = try store.apply(lights([("z", 3, buoys[1]), ("y", 4, buoys[0])]))
      let row = try #require(store.fetch(StoreQuery(entity: "Light")).last?.persistentIdentifier)
      #expect(lost.changedByStore == [row])
      #expect(
        try stored(in: store).map { $0[2] } == [.identifier(created), .identifier(buoys[0]), .null]
      )
      var required = try lights([("w", 5, buoys[1])])
      required.protectedReferences = [StoreReference("buoy", of: "Light")]
      let error = #expect(throws: DataStoreError.self) { try store.apply(required) }
      #expect(error == .conflict)
      #expect(error?.identifiers == [buoys[1]])
      // A reference to a new row that is not in the batch.
      let stray = PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Buoy"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      )
      let refusal = #expect(throws: DataStoreError.self) {
        try store.apply(lights([("v", 6, stray)]))
      }
      #expect(refusal == .invalidValue)
      #expect(refusal?.property == "buoy")
      #expect(try store.count(StoreQuery(entity: "Light")) == 3)
    }
  }

  @Test func `a changed row refers to a row that the save writes directly`() throws {
    try withStore { store in
      let light = try store.apply(lights([("x", 1, nil)]))
      let key = try #require(light.firstKeys.first)
      let row = PersistentIdentifier(scope: try store.map.scope(of: "Light"), key: .integer(key))
      var changes = try Rows(properties: [0], values: [[.string("new")]]).changes()
      let new = try #require(changes.insertions.first?.identifiers.first)
      changes.updated = [StoreUpdate(identifier: row, changes: [.init(2, .identifier(new))])]
      _ = try store.apply(changes)
      let buoy = try #require(store.fetch(StoreQuery(entity: "Buoy")).first?.persistentIdentifier)
      #expect(try stored(in: store) == [[.string("x"), .integer(1), .identifier(buoy)]])
    }
  }

  @Test func `saves take one round trip while they follow each other`() throws {
    try withStore { store in
      var keys: [Int64] = []
      func inserting(into store: PostgreSQLStore) throws -> Int {
        try roundTrips(in: store) { keys += try insert(["a", "b"], into: store) }
      }
      #expect(try inserting(into: store) == 1)
      let late = try PostgreSQLStore(store.configuration)
      let other = try PostgreSQLStore(store.configuration)
      // The first one relies on the numbers at the opening.
      #expect(try inserting(into: other) == 1)
      #expect(try inserting(into: other) == 1)
      // The wrong assumption, its end, and two as without it.
      #expect(try inserting(into: store) == 4)
      let saves = ExpectedNumbers.savesInRow
      let trips = try (0...saves + 1).map { _ in try inserting(into: store) }
      #expect(trips == Array(repeating: 2, count: saves) + [1, 1])
      // A store that was opened long before does not wait for as many saves. The second one also
      // looks for expired transactions of the history.
      let others = try (0..<3).map { _ in try inserting(into: late) }
      #expect(others[0] == 4 && others[2] == 1)
      #expect(keys == Array(1...Int64(keys.count)))
      let numbers = try store.transactions(StoreHistoryQuery()).map(\.number)
      #expect(numbers == Array(2...Int64(keys.count / 2 + 1)))
    }
  }

  @Test func `a save assumes the numbers after the last one until that was wrong`() {
    let first = SaveNumbers(save: 5, nextKey: 1)
    let second = first.following(nextKey: 2, UUID())
    let third = second.following(nextKey: 3, UUID())
    var expected = ExpectedNumbers()
    #expect(expected.current == nil)
    expected.record(first, next: second)
    #expect(expected.current?.save == 6)
    expected.record(second, next: third)
    #expect(expected.current?.save == 7)
    expected.reject()
    #expect(expected.current == nil)
  }

  @Test func `an assumed save reads rows with other spellings first`() throws {
    try withStore { store in
      let keys = try insert(["e\u{301}"], into: store)
      let update = Rows(properties: [1], keys: keys, values: [[.integer(7)]])
      let trips = try roundTrips(in: store) {
        _ = try store.apply(update.changes())
      }
      #expect(trips == 5)
      #expect(try names(in: store) == [Array("e\u{301}".utf8)])
      #expect(try store.fetch(StoreQuery(entity: "Buoy")).map { $0.values[1] } == [.integer(7)])
    }
  }

  @Test func `an assumed save notices another schema`() throws {
    try withStore { store in
      _ = try insert(["a"], into: store)
      try store.session.write { connection in
        _ = try connection.run(
          Statement("UPDATE \(store.session.space)._meta SET structure = structure + 1")
        )
      }
      let error = #expect(throws: DataStoreError.self) { try insert(["b"], into: store) }
      #expect(error == .schemaMismatch)
      #expect(throws: DataStoreError.schemaMismatch) { try store.count(StoreQuery(entity: "Buoy")) }
      let other = try PostgreSQLStore(store.configuration)
      #expect(try other.count(StoreQuery(entity: "Buoy")) == 1)
    }
  }

  @Test func `the sizes of a long history are rarely added up, but its limit holds`() throws {
    try withStore { store in
      try store.session.write { connection in
        let space = store.session.space
        let now = Date().timeIntervalSinceReferenceDate
        let statements = [
          Statement(
            "INSERT INTO \(space)._history "
              + "SELECT n, gen_random_uuid(), $1, NULL, 'program', 'test', '1', 1000, '[]' "
              + "FROM generate_series(2, 4097) n",
            [Parameter(now)]
          ),
          Statement("UPDATE \(space)._meta SET last_save = 4097"),
        ]
        _ = try connection.run(statements)
      }
      _ = try insert(["a"], into: store)
      // Of sixteen checks, each reads the oldest transaction, and each fourth the sizes.
      let trips = try roundTrips(in: store) {
        for _ in 0..<256 { _ = try insert(["b"], into: store) }
      }
      #expect(trips == 256 + ExpectedNumbers.savesInRow + 16 + 4)
      var configuration = store.configuration
      configuration.history.retention = HistoryRetention(size: 3_000_000)
      let other = try PostgreSQLStore(configuration)
      for _ in 0..<256 { _ = try insert(["c"], into: other) }
      // The later ones are smaller.
      let left = try store.transactions(StoreHistoryQuery()).count { $0.number <= 4097 }
      #expect((2_900..<3_000).contains(left))
    }
  }

  @Test func `an assumed save notices missing counters`() throws {
    try withStore { store in
      _ = try insert(["a"], into: store)
      try store.session.write { connection in
        _ = try connection.run(Statement("DELETE FROM \(store.session.space)._meta"))
      }
      let error = #expect(throws: DataStoreError.self) { try insert(["b"], into: store) }
      #expect(error == .storeDamaged)
    }
  }

  @Test func `a history with values has those of directly written rows`() throws {
    try withStore { store in
      var configuration = store.configuration
      configuration.history.content = .values
      let other = try PostgreSQLStore(configuration)
      let row = Rows(properties: [0, 1], values: [[.string("a"), .integer(1)]])
      _ = try other.apply(row.changes())
      let records = try other.fetch(StoreQuery(entity: "Buoy"))
      let keys = records.compactMap(\.persistentIdentifier.integerKey)
      let update = Rows(properties: [1], keys: keys, values: [[.integer(7)]])
      _ = try other.apply(update.changes())
      let change = try other.transactions(StoreHistoryQuery()).last?.changes.first
      #expect(change?.before == ["depth": .integer(1)])
      #expect(change?.after == ["depth": .integer(7)])
    }
  }
}

@Suite struct `The unique values of written rows` {
  /// New rows must be found by the bytes that are computed from records, and the other way round.
  @Test func `are the bytes of the same values in a record`() throws {
    let schema = StoreSchema(entities: [
      StoreEntity(
        name: "Light",
        properties: [
          StoreProperty(name: "value", kind: .attribute(.codable), isOptional: true, isUnique: true)
        ]
      )
    ])
    let map = try SchemaMap(schema)
    let table = try #require(map.tables["Light"])
    var columns = UniqueColumns(of: table, map.catalog)
    try columns.begin("Light")
    var expected = ArrayBuilder(of: Data.self)
    let values =
      HardValues.strings.map(StoreValue.string) + HardValues.doubles.map(StoreValue.double)
      + HardValues.integers.map(StoreValue.integer) + HardValues.dates.map(StoreValue.date)
      + HardValues.data.prefix(4).map(StoreValue.data)
      + [.null, .bool(true), .array([.string("e\u{301}"), .null]), .uuid(UUID())]
    for value in values {
      if columns.contains(0) { columns.note(value, at: 0) }
      try columns.endRow()
      expected.append(try [value].uniqueBytes)
    }
    // A row without the value has none.
    try columns.endRow()
    expected.appendNull()
    #expect(columns.arrays[0].take().bytes == expected.take().bytes)
  }

  @Test func `of several properties are null if one has no value`() throws {
    var columns = try pair()
    columns.note(.string("a"), at: 0)
    columns.note(.integer(1), at: 1)
    try columns.endRow()
    columns.note(.string("b"), at: 0)
    try columns.endRow()
    columns.note(.integer(2), at: 1)
    columns.note(.string("c"), at: 0)
    try columns.endRow()
    var expected = ArrayBuilder(of: Data.self)
    for text in ["[\"a\",1]", nil, "[\"c\",2]"] { expected.append(text.map { Data($0.utf8) }) }
    #expect(columns.arrays[0].take().bytes == expected.take().bytes)
  }

  private func pair() throws -> UniqueColumns {
    let entity = StoreEntity(
      name: "Light",
      properties: [
        StoreProperty(name: "code", kind: .attribute(.string), isOptional: true),
        StoreProperty(name: "number", kind: .attribute(.int64), isOptional: true),
      ],
      uniquenessConstraints: [["code", "number"]]
    )
    let map = try SchemaMap(StoreSchema(entities: [entity]))
    var columns = UniqueColumns(of: try #require(map.tables["Light"]), map.catalog)
    try columns.begin("Light")
    return columns
  }
}
