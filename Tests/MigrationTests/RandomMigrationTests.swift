import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import StoreTestSupport
import Testing

/// Random changes of random schemas, which every store must make with the same result.
@Suite("Random migrations")
struct RandomMigrationTests {
  /// How often as many migrations as in an ordinary run are tried.
  private static let rounds =
    ProcessInfo.processInfo.environment["MIGRATION_ROUNDS"].flatMap { Int($0) } ?? 1

  @Test(arguments: Sweep.part(Array(0..<10), of: 1))
  func `all stores agree, and values follow the renamed properties`(_ part: Int) throws {
    for seed in (part * 12 * Self.rounds)..<((part + 1) * 12 * Self.rounds) {
      var trial = try MigrationTrial(seed: UInt64(seed))
      do { try trial.run() } catch { Issue.record("seed \(seed): \(error)") }
    }
  }
}

/// Some stores with the same rows, which are migrated again and again.
private struct MigrationTrial {
  private let seed: UInt64
  private let folder: TemporaryFolder
  private let databaseSchema: String
  private var random: RandomSchema
  private var numbers: SeededGenerator

  init(seed: UInt64) throws {
    self.seed = seed
    folder = try TemporaryFolder()
    databaseSchema = "r\(seed)" + UUID().uuidString
    random = RandomSchema(seed: seed)
    numbers = SeededGenerator(seed: ~seed)
  }

  private static var hasServer: Bool { PrivateCluster.isAvailable || PrivateCluster.isRequired }

  private func document(_ schema: Schema?) -> JSONFileStoreConfiguration {
    var configuration = JSONFileStoreConfiguration(schema: schema, url: folder.file("s.json"))
    configuration.externalStorageThreshold = 1
    return configuration
  }

  private func file(_ schema: Schema?) -> SQLiteStoreConfiguration {
    var configuration = SQLiteStoreConfiguration(schema: schema, url: folder.file("s.db"))
    configuration.externalStorageThreshold = 1
    return configuration
  }

  private func server(_ schema: Schema?) throws -> PostgreSQLStoreConfiguration {
    var configuration = try PostgreSQLStoreConfiguration(
      PrivateCluster.shared().configuration(),
      databaseSchema: databaseSchema
    )
    configuration.schema = schema
    return configuration
  }

  /// Opens each store with a schema.
  private func open(_ schema: StoreSchema) -> [Result<any RecordStore, any Error>] {
    let schema = Schema(storeSchema: schema)
    let files: [Result<any RecordStore, any Error>] = [
      Result { try JSONFileStore(document(schema), migrationPlan: nil) },
      Result { try SQLiteStore(file(schema), migrationPlan: nil) },
    ]
    if !Self.hasServer { return files }
    return files + [Result { try PostgreSQLStore(server(schema), migrationPlan: nil) }]
  }

  /// Changes the structure of each store as a custom stage does, and opens it.
  private func change(to schema: StoreSchema) -> [Result<any RecordStore, any Error>] {
    let begins: [() throws -> (any StoreMigration)?] = [
      { try JSONFileStore.beginMigration(of: document(nil)) },
      { try SQLiteStore.beginMigration(of: file(nil)) },
      { try PostgreSQLStore.beginMigration(of: server(nil)) },
    ]
    let change = StructureChange(to: schema, removesEntities: true, leavesValuesToCode: true)
    let changes = begins.prefix(Self.hasServer ? 3 : 2).map { begin in
      Result {
        let migration = try #require(try begin())
        defer { migration.end() }
        _ = try migration.changeStructure(through: [change]) { _, _ in }
      }
    }
    return zip(changes, open(schema)).map { change, opened in change.flatMap { opened } }
  }

  mutating func run() throws {
    defer { destroy() }
    try fill(try open(random.schema).map { try $0.get() })
    for step in 1...3 {
      let before = random
      random.change()
      let note =
        "seed \(seed), step \(step): \(SchemaDifference(from: before.schema, to: random.schema))"
      let then = try contents(try open(before.schema)[0].get(), before)
      var opened = open(random.schema)
      var failures = opened.map { Self.failure($0) }
      #expect(failures.allSatisfy { $0 == failures[0] }, "\(failures): \(note)")
      if failures.contains(where: { $0 != nil }) {
        opened = change(to: random.schema)
        failures = opened.map { Self.failure($0) }
        #expect(failures.allSatisfy { $0 == failures[0] }, "\(failures) by a stage: \(note)")
      }
      guard failures.allSatisfy({ $0 == nil }) else {
        random = before
        if failures.contains(where: { $0 == nil }) { return }
        continue
      }
      let stores = try opened.map { try $0.get() }
      let now = try compare(stores, note)
      expectValues(then, before, now, note)
      try fill(stores)
      _ = try compare(stores, "after changes, \(note)")
      try edit(stores, note)
      let edited = try compare(stores, "after a save, \(note)")
      #expect(try compare(open(random.schema).map { try $0.get() }, note) == edited)
      if step == 3 { try compareCopies(edited, note) }
    }
  }

  /// Saves and queries in all stores, and expects equal outcomes.
  private mutating func edit(_ stores: [any RecordStore], _ note: String) throws {
    var edits = RandomEdits(random, numbers)
    _ = numbers.next()
    for outcomes in [
      try edits.save(to: stores), try edits.queries(stores),
    ] {
      for outcome in outcomes where outcome != outcomes[0] {
        Issue.record("\(outcome)\nnot \(outcomes[0]); \(note)")
      }
    }
    random = edits.random
  }

  /// Copies each store into a new one, and compares their rows.
  private func compareCopies(_ rows: [String: [String: String]], _ note: String) throws {
    let schema = Schema(storeSchema: random.schema)
    var configurations: [any DataStoreConfiguration] = [document(schema), file(schema)]
    if Self.hasServer { configurations.append(try server(schema)) }
    let chosen = Int(seed) % configurations.count
    let source = try ModelContainer(for: schema, configurations: configurations[chosen])
    let copy = folder.file(chosen == 1 ? "copy.json" : "copy.db")
    let report = try source.copy(toNewStore: "\(chosen == 1 ? "json" : "sqlite"):\(copy.path)")
    #expect(report.total == rows.count, "copy: \(note)")
    let store: any RecordStore =
      chosen == 1
      ? try JSONFileStore(.init(schema: schema, url: copy), migrationPlan: nil)
      : try SQLiteStore(.init(schema: schema, url: copy), migrationPlan: nil)
    #expect(try contents(store, random) == rows, "copy of store \(chosen): \(note)")
  }

  private func destroy() {
    guard Self.hasServer else { return }
    _ = try? PrivateCluster.shared().connect().run(
      .init("DROP SCHEMA IF EXISTS \"\(databaseSchema)\" CASCADE")
    )
  }

  /// The kind and place of an error, or `nil` if the store could be opened.
  private static func failure(_ result: Result<any RecordStore, any Error>) -> String? {
    guard case .failure(let error) = result else { return nil }
    guard let error = error as? DataStoreError else { return "\(error)" }
    return "\(error.code) \(error.entity ?? "-").\(error.property ?? "-")"
  }

  // MARK: Rows

  /// Inserts rows and sets references.
  private mutating func fill(_ stores: [any RecordStore]) throws {
    let schema = random.schema
    var batches: [[(StoreEntity, [String: StoreValue])]] = []
    for entity in random.entities {
      guard let stored = schema.entity(named: entity.name) else { continue }
      let rows = (0..<Int.random(in: 0..<4, using: &numbers)).map { _ in
        (
          stored,
          Dictionary(
            uniqueKeysWithValues: zip(stored.properties.map(\.name), random.values(of: entity))
          )
        )
      }
      batches.append(rows)
    }
    var outcomes: [String] = []
    let choice = numbers
    for store in stores {
      var outcome = ""
      for rows in batches where !rows.isEmpty {
        do { try store.insert(rows.map { .new($0, $1) }) } catch let error as DataStoreError {
          outcome += " \(error.code)"
        }
      }
      var choices = choice
      do { try refer(store, schema, &choices) } catch let error as DataStoreError {
        outcome += " \(error.code) \(error.message)"
      }
      numbers = choices
      outcomes.append(outcome)
    }
    #expect(outcomes.allSatisfy { $0 == outcomes[0] }, "seed \(seed): \(outcomes)")
  }

  /// Sets references at random.
  private func refer(
    _ store: any RecordStore,
    _ schema: StoreSchema,
    _ numbers: inout SeededGenerator
  ) throws {
    for entity in schema.entities {
      let owners = try identifiers(store, entity.name)
      for property in entity.properties {
        guard let relationship = property.relationship, !property.isDerivedToMany else { continue }
        var targets = try identifiers(store, relationship.destination)
        guard !owners.isEmpty, !targets.isEmpty else { continue }
        // Both ends of a pair are set together, from the end that is first.
        if let inverse = relationship.inverse, property.isToMany == !relationship.inverseIsToOne {
          guard (entity.name, property.name) < (relationship.destination, inverse) else { continue }
          let owner = numbers.pick(owners)
          let target = numbers.pick(targets)
          guard
            let other = schema.entity(named: target.entityName),
            try isFree(owner, property, store), let end = other.property(named: inverse),
            try isFree(target, end, store)
          else { continue }
          func value(_ identifier: PersistentIdentifier) -> StoreValue {
            property.isToMany ? .identifiers([identifier]) : .identifier(identifier)
          }
          let owning = schema.entity(named: owner.entityName) ?? entity
          _ = try store.apply(
            StoreChanges(updated: [
              .change(owner, owning, [property.name: value(target)]),
              .change(target, other, [inverse: value(owner)]),
            ])
          )
          continue
        }
        targets.shuffle(using: &numbers)
        let owner = numbers.pick(owners)
        let value: StoreValue =
          property.isToMany
          ? .identifiers(Array(targets.prefix(2))) : .identifier(targets[0])
        let owning = schema.entity(named: owner.entityName) ?? entity
        _ = try store.apply(StoreChanges(updated: [.change(owner, owning, [property.name: value])]))
      }
    }
  }

  /// Whether a row refers to nothing by a property that both ends keep.
  private func isFree(
    _ row: PersistentIdentifier,
    _ property: StoreProperty,
    _ store: any RecordStore
  ) throws -> Bool {
    let record = try store.fetch(StoreQuery.rows([row], of: row.entityName)).first
    switch record?[property.name] {
    case .null?, .identifiers([])?: return true
    default: return false
    }
  }

  private func identifiers(
    _ store: any RecordStore,
    _ entity: String
  ) throws -> [PersistentIdentifier] {
    try store.identifiers(StoreQuery(entity: entity))
      .sorted { ($0.integerKey ?? 0) < ($1.integerKey ?? 0) }
  }

  // MARK: Comparing

  /// Returns the values of all rows, as text that is the same in every store.
  private func contents(
    _ store: any RecordStore,
    _ random: RandomSchema
  ) throws -> [String: [String: String]] {
    var rows: [String: [String: String]] = [:]
    for entity in random.schema.entities where entity.superentity == nil {
      for record in try store.fetch(StoreQuery(entity: entity.name)) {
        let identifier = record.persistentIdentifier
        var values: [String: String] = [:]
        let kind = random.schema.entity(named: identifier.entityName) ?? entity
        for property in kind.properties {
          if property.isToMany {
            let found = try store.members(of: property.name, in: kind.name, owners: [identifier])
            let members = (found.values.first ?? []).map(\.rowText)
            let isOrdered = !property.isDerivedToMany
            values[property.name] = "\(isOrdered ? members : members.sorted())"
          } else {
            values[property.name] = (record[property.name] ?? .null).rowText
          }
        }
        rows["\(identifier.entityName) \(identifier.integerKey ?? -1)"] = values
      }
    }
    return rows
  }

  private func compare(
    _ stores: [any RecordStore],
    _ note: String
  ) throws -> [String: [String: String]] {
    let first = try contents(stores[0], random)
    for store in stores {
      let other = try contents(store, random)
      for row in Set(first.keys).union(other.keys).sorted() where first[row] != other[row] {
        Issue.record(
          "\(type(of: store)), \(row): \(other[row] ?? [:]), not \(first[row] ?? [:]); \(note)"
        )
      }
      let problems = try (store as? any MaintainableStore)?.verify() ?? []
      #expect(problems.isEmpty, "\(type(of: store)): \(problems); \(note)")
    }
    return first
  }

  /// Whether no other property has a property's older name, except by renames that end at a free one.
  ///
  /// Otherwise the values stay with their names.
  private func isOlderNameFree(
    of property: RandomSchema.Property,
    in properties: [RandomSchema.Property]
  ) -> Bool {
    var holder = property
    for _ in properties {
      guard let name = holder.oldName, name != holder.name else { return false }
      guard let next = properties.first(where: { $0.name == name }) else { return true }
      holder = next
    }
    return false
  }

  /// Compares the attributes after a migration with those before it, by the numbers of properties.
  private func expectValues(
    _ then: [String: [String: String]],
    _ before: RandomSchema,
    _ now: [String: [String: String]],
    _ note: String
  ) {
    for (row, values) in then {
      let name = String(row.prefix { $0 != " " })
      guard let old = before.entity(named: name), let new = random.entity(named: name) else {
        #expect(random.entity(named: name) != nil || now[row] == nil, "\(row): \(note)")
        continue
      }
      let older = before.all(old)
      for property in random.all(new) {
        guard case .attribute(let type) = property.content,
          let source = older.first(where: { $0.number == property.number }),
          case .attribute(type) = source.content, !source.isEphemeral, !property.isEphemeral,
          values[source.name] != "null",
          property.name == property.oldName
            || (isOlderNameFree(of: property, in: random.all(new))
              // The older version has declared the same rename: it does not count twice.
              && !older.contains { $0.name == property.name && $0.oldName == property.oldName })
        else { continue }
        #expect(
          now[row]?[property.name] == values[source.name],
          "\(row), \(property.name): \(note)"
        )
      }
    }
  }
}
