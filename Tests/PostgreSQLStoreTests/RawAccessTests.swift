import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import Testing

@Model
private final class Account {
  @Attribute(.unique) var name: String
  var balance: Int = 0
  var small: Int8 = 0
  var note: String?
  var owner: Holder?

  init(_ name: String, balance: Int = 0) {
    self.name = name
    self.balance = balance
  }
}

@Model
private final class Holder {
  var name: String
  @Relationship(inverse: \Account.owner) var accounts: [Account] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class Club {
  var name = "c"
  var members: [Holder] = []

  init(_ members: [Holder]) { self.members = members }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `A program's own SQL on PostgreSQL` {
  /// Runs a body with a store of two accounts, keys 2 and 3, and their holder, key 1.
  private func withStore(
    hasOwnPool: Bool = false,
    _ body: (PostgreSQLStore, ModelContext) throws -> Void
  ) throws {
    var connection = try PrivateCluster.shared().configuration()
    if hasOwnPool { connection.parameters["application_name"] = UUID().uuidString }
    let configuration = try PostgreSQLStoreConfiguration(
      connection,
      databaseSchema: "r" + UUID().uuidString
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(
      for: Schema([Account.self, Holder.self, Club.self]),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    let accounts = [Account("a", balance: 10), Account("Zoe\u{308}", balance: 20)]
    for account in accounts { context.insert(account) }
    let holder = Holder("h")
    context.insert(holder)
    try context.save()
    accounts[0].owner = holder
    try context.save()
    try body(try #require(container.stores.first as? PostgreSQLStore), context)
  }

  private func account(_ name: String, _ context: ModelContext) throws -> Account? {
    let predicate = #Predicate<Account> { $0.name == name }
    return try context.fetch(FetchDescriptor(predicate: predicate)).first
  }

  @Test func `reads values of every type, with parameters`() throws {
    try withStore { store, _ in
      let id = UUID()
      let values: [PostgreSQLField] = [
        7, 2.5, "it's", true, .null, .data(Data([0])), .uuid(id), .decimal(12.5),
      ]
      let row = try store.withConnection {
        try $0.rows(
          "SELECT $1 AS one, $2, $3::varchar, $4, $5::text, $6, $7, $8, 1::int2, 2::int4",
          values: values
        )[0]
      }
      #expect(row.values == values + [1, 2] && row["one"] == 7 && row["none"] == nil)
      #expect(row[9] == 2 && row[10] == nil)
      let names = try store.withConnection {
        try $0.rows("SELECT name FROM \"Account\" WHERE balance > $1", 15).map { $0["name"] }
      }
      #expect(names == [.text("Zo\u{EB}")])
      #expect(throws: DataStoreError.unsupportedFeature) {
        try store.withConnection { _ = try $0.rows("SELECT now()") }
      }
    }
  }

  @Test func `reads one state despite a save in between`() throws {
    try withStore { store, context in
      let counts = try store.withConnection { connection in
        let before = try connection.rows("SELECT count(*) FROM \"Account\"")
        context.insert(Account("new"))
        try context.save()
        return try [before, connection.rows("SELECT count(*) FROM \"Account\"")].map { $0[0][0] }
      }
      #expect(counts == [2, 2])
      #expect(try context.fetchCount(FetchDescriptor<Account>()) == 3)
    }
  }

  @Test(arguments: [
    ("COMMIT", DataStoreError.unsupportedFeature), ("begin", .unsupportedFeature),
    ("/* a /* b */ c */ -- d\n ROLLBACK", .unsupportedFeature),
    ("SET role = x", .unsupportedFeature),
    ("DROP TABLE \"Account\"", .unsupportedFeature), ("DO $$ BEGIN END $$", .unsupportedFeature),
    ("", .unsupportedFeature), ("UPDATE \"Account\" SET balance = 1", .storeReadOnly),
    ("WITH x AS (DELETE FROM \"Account\" RETURNING 1) SELECT 1", .storeReadOnly),
    ("SELECT nothing FROM \"Account\"", .invalidValue), ("SELECT 1; SELECT 2", .invalidValue),
  ])
  func `refuses statements that do not read`(sql: String, code: DataStoreError) throws {
    try withStore { store, context in
      let error = #expect(throws: DataStoreError.self) {
        try store.withConnection { _ = try $0.rows(sql) }
      }
      #expect(error == code, "\(String(describing: error))")
      #expect(throws: DataStoreError.storeReadOnly) { try store.withConnection { try $0.newKey() } }
      let count = try context.fetchCount(FetchDescriptor<Account>())
      #expect(count == 2)
    }
  }

  @Test func `is closed after the body`() throws {
    try withStore { store, _ in
      var kept: PostgreSQLConnection?
      try store.withConnection { kept = $0 }
      #expect(throws: DataStoreError.storeClosed) { try kept?.rows("SELECT 1") }
      try store.withWritableConnection { kept = $0 }
      #expect(throws: DataStoreError.storeClosed) { try kept?.newKey() }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `leaves no setting and no lock on the connection`(writes: Bool, fails: Bool) throws {
    struct Stop: Error {}
    try withStore(hasOwnPool: true) { store, _ in
      let key = PostgreSQLField.integer(.random(in: 1...1_000_000))
      func session() throws -> [PostgreSQLField] {
        let statement = """
          SELECT pg_backend_pid(), current_setting('work_mem'), (SELECT count(*) FROM pg_locks \
          WHERE locktype = 'advisory' AND objid::int8 = $1)
          """
        return try store.withConnection { try $0.rows(statement, key)[0].values }
      }
      func change(_ connection: PostgreSQLConnection) throws {
        let statement = "SELECT set_config('work_mem', '123kB', false), pg_advisory_lock($1)::text"
        _ = try connection.rows(statement, key)
        if fails { throw Stop() }
      }
      let before = try session()
      do {
        if writes {
          try store.withWritableConnection(change)
        } else {
          try store.withConnection(change)
        }
      } catch is Stop {}
      #expect(try session() == before)
    }
  }

  @Test func `is one save, with the changed values in the history`() throws {
    try withStore { store, context in
      let before = try #require(
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
      ).token
      let key = try store.withWritableConnection { connection in
        let key = try connection.newKey()
        try connection.execute(
          "INSERT INTO \"Account\" (_key, _version, name, balance, small, owner) "
            + "VALUES ($1, 0, 'raw', 1, 2, 1)",
          .integer(key)
        )
        #expect(
          try connection.execute("UPDATE \"Account\" SET balance = balance + 1 WHERE _key < 4") == 2
        )
        try connection.execute("DELETE FROM \"Account\" WHERE _key = 2")
        #expect(try connection.rows("SELECT count(*) FROM \"Account\"")[0][0] == 2)
        return key
      }
      #expect(key == 4)
      #expect(try account("raw", context)?.owner?.name == "h")
      let zoe = try #require(try account("Zo\u{EB}", context))
      #expect(zoe.balance == 21)
      // The spelling of a string that did not change is kept.
      #expect(zoe.name.unicodeScalars.count == 4)
      #expect(try account("a", context) == nil)
      let later = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > before })
      )
      #expect(later.count == 1 && later.first?.changes.count == 3)
      for case .update(let update as DefaultHistoryUpdate<Account>) in later[0].changes {
        #expect(update.updatedAttributes.count == 1)
      }
      let next = Account("next")
      context.insert(next)
      try context.save()
      #expect(
        try store.withConnection { try $0.rows("SELECT max(_key) FROM \"Account\"")[0][0] } == 5
      )
    }
  }

  @Test func `stores nothing when the body throws or a statement fails`() throws {
    struct Stop: Error {}
    try withStore { store, context in
      #expect(throws: Stop.self) {
        try store.withWritableConnection {
          try $0.execute("DELETE FROM \"Account\"")
          throw Stop()
        }
      }
      #expect(throws: DataStoreError.notSaved) {
        try store.withWritableConnection {
          try $0.execute("DELETE FROM \"Account\"")
          _ = try? $0.execute("SELEKT")
          _ = try? $0.execute("SELECT nothing")
        }
      }
      let count = try context.fetchCount(FetchDescriptor<Account>())
      #expect(count == 2)
    }
  }

  @Test(arguments: [
    (
      "INSERT INTO \"Account\" (_key, _version, name, balance, small) VALUES (9, 0, 'x', 1, 1)",
      DataStoreError.invalidValue
    ),
    ("UPDATE \"Account\" SET small = 300", .invalidValue),
    ("UPDATE \"Account\" SET balance = NULL", .invalidValue),
    ("UPDATE \"Account\" SET owner = 99", .invalidValue),
    ("WITH d AS (DELETE FROM \"Holder\") UPDATE \"Account\" SET owner = 1", .invalidValue),
    ("UPDATE \"Account\" SET name = 'same'", .uniqueConflict),
    ("UPDATE \"Account\" SET _version = 99", .unsupportedFeature),
    ("UPDATE _meta SET next_key = 99", .unsupportedFeature),
    ("DELETE FROM _history", .unsupportedFeature),
    ("SELECT 1 AS a INTO other", .unsupportedFeature),
    ("TRUNCATE \"Account\"", .unsupportedFeature),
  ])
  func `rejects what no save would write`(sql: String, code: DataStoreError) throws {
    try withStore { store, context in
      let error = #expect(throws: DataStoreError.self) {
        try store.withWritableConnection { _ = try $0.execute(sql) }
      }
      #expect(error == code, "\(String(describing: error))")
      let stored = try ModelContext(context.container).fetch(FetchDescriptor<Account>())
      #expect(stored.map(\.balance) == [10, 20])
    }
  }

  @Test func `rejects a new row with the unique values of another`() throws {
    try withStore { store, context in
      #expect(throws: DataStoreError.uniqueConflict) {
        try store.withWritableConnection { connection in
          try connection.execute(
            "INSERT INTO \"Account\" (_key, _version, name, balance, small) VALUES ($1, 0, 'a', 1, 1)",
            .integer(connection.newKey())
          )
        }
      }
      let other = try account("a", context)
      #expect(other?.balance == 10)
    }
  }

  @Test func `removes references to deleted rows, and stores strings in composed form`() throws {
    try withStore { store, context in
      try store.withWritableConnection { connection in
        try connection.execute("DELETE FROM \"Holder\"")
        try connection.execute("UPDATE \"Account\" SET note = $1 WHERE _key = 2", "e\u{301}")
      }
      let account = try #require(try account("a", context))
      #expect(account.owner == nil)
      #expect(account.note.map { Array($0.unicodeScalars).count } == 2)
      let found = try context.fetchCount(
        FetchDescriptor<Account>(predicate: #Predicate { $0.note == "\u{E9}" })
      )
      #expect(found == 1)
    }
  }

  @Test(arguments: [false, true])
  func `removes deleted rows from lists`(isWritten: Bool) throws {
    try withStore { store, context in
      let holder = try #require(try context.fetch(FetchDescriptor<Holder>()).first)
      let other = Holder("other")
      context.insert(Club([holder, other]))
      try context.save()
      try store.withWritableConnection { connection in
        if isWritten { try connection.execute("UPDATE \"Club\" SET name = 'new'") }
        try connection.execute("DELETE FROM \"Holder\" WHERE name = 'h'")
      }
      let club = try #require(
        try ModelContext(context.container).fetch(FetchDescriptor<Club>()).first
      )
      #expect(club.name == (isWritten ? "new" : "c"))
      #expect(club.members.map(\.name) == ["other"])
    }
  }

  @Test func `keeps the spelling of strings that it does not change`() throws {
    try withStore { store, context in
      let holder = try #require(try context.fetch(FetchDescriptor<Holder>()).first)
      holder.name = "e\u{301}"
      try context.save()
      func scalars() throws -> [UInt32] {
        let holders = try ModelContext(context.container).fetch(FetchDescriptor<Holder>())
        return holders.flatMap { $0.name.unicodeScalars.map(\.value) }
      }
      // Its own value, in the form in which statements see it.
      try store.withWritableConnection { try $0.execute("UPDATE \"Holder\" SET name = name") }
      #expect(try scalars() == [0x65, 0x301])
      try store.withWritableConnection { try $0.execute("UPDATE \"Holder\" SET name = 'e'") }
      #expect(try scalars() == [0x65])
    }
  }

  @Test func `finds rows that functions write in subtransactions`() throws {
    try withStore { store, context in
      let space = try SQLName.quoted(store.configuration.databaseSchema)
      let administrator = try PrivateCluster.shared().connect()
      try administrator.run(
        Statement(
          """
          CREATE FUNCTION \(space).spend() RETURNS int8 LANGUAGE plpgsql AS 'BEGIN BEGIN \
          UPDATE \(space)."Account" SET balance = 1; EXCEPTION WHEN OTHERS THEN NULL; END; \
          RETURN 1; END'
          """
        )
      )
      defer { _ = try? administrator.run(Statement("DROP FUNCTION \(space).spend()")) }
      try store.withWritableConnection { _ = try $0.rows("SELECT spend()") }
      let accounts = try ModelContext(context.container).fetch(FetchDescriptor<Account>())
      #expect(accounts.map(\.balance) == [1, 1])
    }
  }

  @Test func `is saved together with the changes of a context`() throws {
    try withStore { store, context in
      context.insert(Account("saved", balance: 5))
      try store.withWritableConnection(during: context.save) {
        let count = try $0.execute(
          "UPDATE \"Account\" SET balance = balance * 2 WHERE name = 'saved'"
        )
        #expect(count == 1)
      }
      #expect(try account("saved", context)?.balance == 10)
      #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).count == 3)
      // With nothing to save, the statements are a save of their own.
      try store.withWritableConnection(during: context.save) {
        try $0.execute("UPDATE \"Account\" SET balance = 0")
      }
      #expect(try account("saved", context)?.balance == 0)
    }
  }

  @Test func `ends the save of a context by its errors`() throws {
    struct Stop: Error {}
    try withStore { store, context in
      context.insert(Account("saved"))
      #expect(throws: Stop.self) {
        try store.withWritableConnection(during: context.save) { _ in throw Stop() }
      }
      #expect(context.hasChanges)
      #expect(throws: DataStoreError.notSaved) {
        try store.withWritableConnection(during: { try? context.save() }) { _ in throw Stop() }
      }
      #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Account>()) == 2)
      try context.save()
      #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Account>()) == 3)
    }
  }

  @Test func `is not counted by earlier transactions of its connection`() throws {
    try withStore { store, context in
      for number in 1...3 {
        try store.withWritableConnection {
          try $0.execute("UPDATE \"Holder\" SET name = $1", .text("\(number)"))
        }
        _ = try store.withWritableConnection { try $0.rows("SELECT 1") }
      }
      #expect(try context.fetch(FetchDescriptor<Holder>()).map(\.name) == ["3"])
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 5)
    }
  }
}
