import Foundation
import ModelLayer
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import Testing

/// Saves, parts of which an administrator's rules and triggers discard.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Changes that PostgreSQL discards` {
  /// Runs a function with the configuration of a new store.
  private func withStore(
    _ types: [any PersistentModel.Type],
    _ body: (PostgreSQLStoreConfiguration) throws -> Void
  ) throws {
    let cluster = try PrivateCluster.shared()
    let functions = [
      "osd_discard": "BEGIN RETURN NULL; END",
      "osd_keep": "BEGIN RETURN OLD; END",
      "osd_restore": """
      BEGIN EXECUTE format(''INSERT INTO %I.%I SELECT ($1).*'', TG_TABLE_SCHEMA, TG_TABLE_NAME) \
      USING OLD; RETURN NULL; END
      """,
    ]
    let connection = try cluster.connect()
    try connection.begin(TransactionOptions(.readCommitted))
    // Tests that run at once must not replace a function at the same time.
    try connection.run(Statement("SELECT pg_advisory_xact_lock(7)::text"))
    for (name, body) in functions {
      let definition = "public.\(name)() RETURNS trigger LANGUAGE plpgsql AS '\(body)'"
      try connection.run(Statement("CREATE OR REPLACE FUNCTION \(definition)"))
    }
    try connection.commit()
    let configuration = try PostgreSQLStoreConfiguration(
      cluster.configuration(),
      databaseSchema: "x" + UUID().uuidString,
      schema: Schema(types)
    )
    defer { try? SchemaFixture().destroy(configuration) }
    try body(configuration)
  }

  /// What an administrator does so that changes are discarded.
  private static let interventions: [(make: String, drop: String)] = ["INSERT", "UPDATE", "DELETE"]
    .flatMap { change in
      [
        (
          "CREATE RULE nothing AS ON \(change) TO %t DO INSTEAD NOTHING", "DROP RULE nothing ON %t"
        ),
        (
          """
          CREATE TRIGGER nothing BEFORE \(change) ON %t FOR EACH ROW \
          EXECUTE FUNCTION public.osd_discard()
          """,
          "DROP TRIGGER nothing ON %t"
        ),
      ]
    }

  private func names(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Pier>()).map(\.name).sorted()
  }

  @Test(arguments: 0..<6, ["Pier", "Ferry"])
  func `a save that a rule or a trigger discards is not saved`(
    _ number: Int,
    _ entity: String
  ) throws {
    let cluster = try PrivateCluster.shared()
    let connection = try cluster.connect()
    try withStore([Harbor.self, Ferry.self, Pier.self]) { configuration in
      let container = try ModelContainer(
        for: Harbor.self,
        Ferry.self,
        Pier.self,
        configurations: configuration
      )
      let context = ModelContext(container)
      let (pier, ferry) = (Pier(name: "north"), Ferry(length: 1))
      context.insert(pier)
      context.insert(ferry)
      try context.save()
      let table = "\"\(configuration.databaseSchema)\".\"\(entity)\""
      let intervention = Self.interventions[number]
      for isAssumed in [true, false] {
        // A save of another handle makes the next one read the numbers.
        if !isAssumed {
          let other = try PostgreSQLStore(configuration)
          _ = try other.apply(StoreChanges())
        }
        try connection.run(Statement(intervention.make.replacing("%t", with: table)))
        switch (entity, number) {
        case ("Pier", 0...1): context.insert(Pier(name: "south"))
        // Rows with unique values are deleted and inserted.
        case ("Pier", 2...3): return
        case ("Pier", _): context.delete(pier)
        case (_, 0...1): context.insert(Ferry(length: 2))
        case (_, 2...3): ferry.length += 1
        default: context.delete(ferry)
        }
        let before = try PostgreSQLStore(configuration).fetch(StoreQuery(entity: entity))
        let error = #expect(throws: DataStoreError.self) { try context.save() }
        #expect(error == .notSaved)
        #expect(error?.message.contains("trigger") == true)
        let after = try PostgreSQLStore(configuration).fetch(StoreQuery(entity: entity))
        #expect(before == after)
        try connection.run(Statement(intervention.drop.replacing("%t", with: table)))
        try context.save()
        #expect(!context.hasChanges)
        let rows = try ModelContext(container).fetchCount(FetchDescriptor<Ferry>())
        #expect(
          rows
            == (entity == "Pier"
              ? 1
              : [0, 1].contains(number) ? (isAssumed ? 2 : 3) : [2, 3].contains(number) ? 1 : 0)
        )
        if number > 3 { break }
      }
    }
  }

  // MARK: Bulk changes

  /// What an administrator does, and the bulk changes of which it discards a part.
  enum BulkIntervention: String, CaseIterable {
    case someDeletionsDiscarded, allDeletionsDiscarded, deletionsReplaced, deletedRowsRestored
    case someUpdatesDiscarded, updatesUndone, updatesReplaced
    case referencesKept, listsKept, uniqueReferencesKept

    var deletes: Bool { !rawValue.contains("pdates") }

    /// The table, the kind of the object, and its definition.
    var object: (table: String, kind: String, definition: String) {
      let (each, run) = ("FOR EACH ROW", "EXECUTE FUNCTION public.")
      return switch self {
      case .someDeletionsDiscarded:
        ("Dock", "TRIGGER", "BEFORE DELETE ON %t \(each) WHEN (OLD.name = 'b') \(run)osd_discard()")
      case .allDeletionsDiscarded:
        ("Dock", "TRIGGER", "BEFORE DELETE ON %t \(each) \(run)osd_discard()")
      case .deletionsReplaced:
        (
          "Dock", "RULE",
          "AS ON DELETE TO %t DO INSTEAD UPDATE %t SET name = name || '!' "
            + "WHERE _key = OLD._key RETURNING %t.*"
        )
      case .deletedRowsRestored:
        ("Dock", "TRIGGER", "AFTER DELETE ON %t \(each) \(run)osd_restore()")
      case .someUpdatesDiscarded:
        ("Dock", "TRIGGER", "BEFORE UPDATE ON %t \(each) WHEN (OLD.name = 'a') \(run)osd_discard()")
      case .updatesUndone: ("Dock", "TRIGGER", "BEFORE UPDATE ON %t \(each) \(run)osd_keep()")
      case .updatesReplaced:
        ("Dock", "RULE", "AS ON UPDATE TO %t DO INSTEAD NOTHING")
      case .referencesKept: ("Cargo", "TRIGGER", "BEFORE UPDATE ON %t \(each) \(run)osd_keep()")
      case .listsKept: ("Vessel", "TRIGGER", "BEFORE UPDATE ON %t \(each) \(run)osd_discard()")
      case .uniqueReferencesKept:
        ("Slot", "TRIGGER", "BEFORE UPDATE ON %t \(each) \(run)osd_keep()")
      }
    }
  }

  private static let bulkModels: [any PersistentModel.Type] = [
    Cargo.self, FragileCargo.self, Dock.self, Vessel.self, Slot.self,
  ]

  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let docks = ["a", "b", "c"].map(Dock.init)
    for dock in docks { context.insert(dock) }
    docks[0].ships = [Vessel("x"), Vessel("y")]
    let fragile = FragileCargo(fragile: 7, dock: docks[1])
    let cargos = (0..<6).map { Cargo($0, dock: docks[$0 % 3]) } + [fragile]
    for cargo in cargos { context.insert(cargo) }
    docks[2].urgent = [cargos[5], cargos[1]]
    for number in 0..<4 { context.insert(Slot(number, dock: docks[number % 2])) }
    try context.save()
  }

  private func rows(_ store: PostgreSQLStore) throws -> [[DefaultSnapshot]] {
    try ["Dock", "Cargo", "Vessel", "Slot"].map { entity in
      try store.fetch(StoreQuery(entity: entity)).sorted {
        ($0.persistentIdentifier.integerKey ?? 0) < ($1.persistentIdentifier.integerKey ?? 0)
      }
    }
  }

  @Test(arguments: BulkIntervention.allCases)
  func `a bulk change of which a rule or a trigger discards a part is not saved`(
    _ intervention: BulkIntervention
  ) throws {
    try withStore(Self.bulkModels) { configuration in
      try fill(ModelContainer(for: Schema(Self.bulkModels), configurations: configuration))
      let store = try PostgreSQLStore(configuration)
      let before = try rows(store)
      let (entity, kind, definition) = intervention.object
      let table = "\"\(configuration.databaseSchema)\".\"\(entity)\""
      let made = definition.replacing("%t", with: table)
      let connection = try PrivateCluster.shared().connect()
      let all = StoreQuery(entity: "Dock")
      let change: BulkChange =
        intervention.deletes
        ? .delete(all) : .update(all, [StoreAssignment("name", .constant(.string("z")))])
      var changes = StoreChanges()
      changes.bulkChanges = [change]
      for _ in 0..<2 {
        try connection.run(Statement("CREATE \(kind) discarding \(made)"))
        let error = #expect(throws: DataStoreError.self) { try store.apply(changes) }
        #expect(error == .notSaved, "\(String(describing: error))")
        #expect(try rows(store) == before)
        #expect(try store.transactions(StoreHistoryQuery()).count == 1)
        try connection.run(Statement("DROP \(kind) discarding ON \(table)"))
      }
      let result = try store.apply(changes)
      #expect((intervention.deletes ? result.deleted : result.updated).count == 3)
      #expect(try store.count(all) == (intervention.deletes ? 0 : 3))
    }
  }

  @Test func `a bulk change of rows that the rest of the save changes is saved`() throws {
    try withStore(Self.bulkModels) { configuration in
      let container = try ModelContainer(
        for: Schema(Self.bulkModels),
        configurations: configuration
      )
      try fill(container)
      let store = try PostgreSQLStore(configuration)
      let docks = try store.fetch(StoreQuery(entity: "Dock"))
      let name = StoreAssignment("name", .constant(.string("z")))
      var changes = StoreChanges()
      changes.bulkChanges = [
        .update(StoreQuery(entity: "Dock"), [name]), .update(StoreQuery(entity: "Vessel"), [name]),
        .delete(StoreQuery(entity: "Vessel")),
      ]
      let entity = try #require(store.schema.storeSchema.entity(named: "Dock"))
      let index = try #require(entity.indexByName["name"])
      changes.updated = [
        StoreUpdate(
          identifier: docks[0].persistentIdentifier,
          changes: [.init(index, .string("y"))]
        )
      ]
      changes.deleted = [docks[1].persistentIdentifier]
      _ = try store.apply(changes)
      #expect(try store.count(StoreQuery(entity: "Vessel")) == 0)
      let names = try store.fetch(StoreQuery(entity: "Dock")).map { $0["name"] }
      #expect(names == [.string("y"), .string("z")])
    }
  }

  // MARK: The store's own tables

  @Test(
    arguments: ["INSERT ON _saves", "INSERT ON _history", "INSERT ON _readers", "UPDATE ON _meta"],
    ["osd_discard", "osd_keep", "rule"]
  )
  func `a save whose record a rule or a trigger discards is not saved`(
    _ event: String,
    _ function: String
  ) throws {
    // There is no old row of an insertion: the trigger discards it.
    try withStore([Harbor.self, Ferry.self]) { configuration in
      let container = try ModelContainer(
        for: Harbor.self,
        Ferry.self,
        configurations: configuration
      )
      let context = ModelContext(container)
      context.insert(Ferry(length: 1))
      try context.save()
      let connection = try PrivateCluster.shared().connect()
      let space = "\"\(configuration.databaseSchema)\""
      let table = event.split(separator: " ")[2]
      for isAssumed in [true, false] {
        if !isAssumed { _ = try PostgreSQLStore(configuration).apply(StoreChanges()) }
        let isRule = function == "rule"
        let object = event.replacing("_", with: "\(space)._")
        try connection.run(
          Statement(
            isRule
              ? "CREATE RULE discarding AS ON \(object.replacing(" ON ", with: " TO ")) "
                + "DO INSTEAD NOTHING"
              : "CREATE TRIGGER discarding BEFORE \(object) FOR EACH ROW "
                + "EXECUTE FUNCTION public.\(function)()"
          )
        )
        let store = try PostgreSQLStore(configuration)
        let reader = HistoryReaderPosition(name: "r", number: 1, save: nil, timestamp: Date())
        var changes = StoreChanges()
        changes.readers = [reader]
        context.insert(Ferry(length: 2))
        let error = #expect(throws: DataStoreError.self) {
          if table == "_readers" { _ = try store.apply(changes) } else { try context.save() }
        }
        #expect([.notSaved, .storeDamaged].contains(error), "\(String(describing: error))")
        if table != "_history" {
          #expect(throws: DataStoreError.self) {
            if table == "_readers" { try store.setHistoryReader(reader) } else { try store.erase() }
          }
        }
        #expect(try store.count(StoreQuery(entity: "Ferry")) == 1)
        #expect(try store.historyReaders().isEmpty)
        let kind = isRule ? "RULE" : "TRIGGER"
        try connection.run(Statement("DROP \(kind) discarding ON \(space).\(table)"))
        context.rollback()
      }
      context.insert(Ferry(length: 3))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ferry>()) == 2)
    }
  }

  @Test(
    arguments: ["DELETE ON _history", "UPDATE ON _meta", "DELETE ON _readers", "DELETE ON Ferry"]
  )
  func `a deletion that a trigger discards throws`(_ event: String) throws {
    try withStore([Harbor.self, Ferry.self]) { configuration in
      let store = try PostgreSQLStore(configuration)
      let container = try ModelContainer(
        for: Harbor.self,
        Ferry.self,
        configurations: configuration
      )
      let context = ModelContext(container)
      context.insert(Ferry(length: 1))
      try context.save()
      try store.setHistoryReader(
        HistoryReaderPosition(name: "r", number: 1, save: nil, timestamp: Date())
      )
      let connection = try PrivateCluster.shared().connect()
      let table = event.split(separator: " ")[2]
      let quoted = "\"\(configuration.databaseSchema)\".\"\(table)\""
      try connection.run(
        Statement(
          """
          CREATE TRIGGER discarding BEFORE \(event.replacing(table, with: quoted)) \
          FOR EACH ROW EXECUTE FUNCTION public.osd_discard()
          """
        )
      )
      let error = #expect(throws: DataStoreError.self) {
        switch table {
        case "_readers": try store.removeHistoryReader("r")
        case "Ferry": try store.erase()
        default: try store.deleteTransactions(nil)
        }
      }
      #expect(error == .notSaved, "\(String(describing: error))")
      #expect(try store.transactions(StoreHistoryQuery()).count == 1)
      #expect(try store.historyReaders().count == 1)
      #expect(try store.count(StoreQuery(entity: "Ferry")) == 1)
    }
  }
}
