import Foundation
import OpenSwiftData
import StoreTestSupport

@testable import StoreConformance

extension Saboteur {
  /// Those that have no use of versions.
  static let versioning: [Saboteur] = [
    Saboteur("ignores the versions that a save expects", "VERSION-008") {
      .saving { changes in changes.with { $0.expectedVersions = [:] } }
    },
    Saboteur("looks at no version of what it deletes", "VERSION-009") {
      .saving { changes in
        changes.with { changes in
          for row in changes.deleted { changes.expectedVersions[row] = nil }
        }
      }
    },
    Saboteur("gives each save the same number", "RANDOM-301") {
      .returning { result, _ in
        var result = result
        result.version = 1
        return result
      }
    },
    Saboteur("reads row by row without versions", "RANDOM-301") {
      var alterations = Alterations()
      alterations.read = { store, query in
        try store.fetch(query).map { record in
          var record = record
          record.version = 0
          return record
        }
      }
      return alterations
    },
    Saboteur("counts an update without a change", "ATOM-010") {
      .saving { changes in
        changes.with { changes in
          changes.updated = changes.updated.map { update in
            guard update.identifier.entityName == "Specimen", update.changes.isEmpty else {
              return update
            }
            return StoreUpdate(identifier: update.identifier, changes: [.init(2, .null)])
          }
        }
      }
    },
  ]

  /// Those that are wrong about their life.
  static let living: [Saboteur] = [
    Saboteur("forgets all when it is opened again", "LIFE-009", over: ForgetfulFixture()),
    Saboteur("has another identifier each time", "LIFE-008") {
      var alterations = Alterations()
      alterations.identifier = { _ in UUID().uuidString }
      return alterations
    },
    Saboteur("makes a store without a schema", "LIFE-005") {
      var alterations = Alterations()
      alterations.schema = { $0 ?? Sample.schema }
      return alterations
    },
    Saboteur("has one location for all stores", "LIFE-004", over: SharedFixture()),
    Saboteur("has another schema than it was opened with", "LIFE-002") {
      var alterations = Alterations()
      alterations.schema = { _ in Schema(storeSchema: StoreSchema(version: "9.9.9", entities: [])) }
      return alterations
    },
    Saboteur("erases one entity only", "LIFE-006") {
      var alterations = Alterations()
      alterations.erase = { store in
        let people = try store.identifiers(StoreQuery(entity: "Person"))
        _ = try store.apply(StoreChanges(deleted: people))
      }
      return alterations
    },
    Saboteur("is of no use when it was erased", "RANDOM-301") {
      let wasErased = Shared(false)
      var alterations = Alterations()
      alterations.erase = { store in
        try store.erase()
        wasErased.withLock { $0 = true }
      }
      alterations.apply = { store, changes in
        if wasErased.value { throw DataStoreError(.storeClosed, "the store was erased") }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("loses what threads save at once", "CONC-001") {
      let isFirst = Shared(true)
      var alterations = Alterations()
      alterations.apply = { store, changes in
        // As two threads that read the same file and each write it: the later wins.
        let isLost = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        let result = try store.apply(changes)
        if isLost { _ = try store.apply(StoreChanges(deleted: Array(result.remapped.values))) }
        return result
      }
      return alterations
    },
    Saboteur("shows rows of a save before the others", "CONC-005") {
      let reads = Shared(0)
      var alterations = Alterations()
      alterations.fetch = { store, query in
        defer { reads.withLock { $0 += 1 } }
        return try store.fetch(query)
      }
      alterations.apply = { store, changes in
        guard changes.inserted.count == 2 else { return try store.apply(changes) }
        var result = try store.apply(changes.with { $0.inserted.removeLast() })
        // Until somebody who began after this has read, so that it is seen.
        let seen = reads.value
        for _ in 0..<1_000_000 where reads.value < seen + 3 { Thread.sleep(forTimeInterval: 0) }
        let rest = try store.apply(changes.with { $0.inserted.removeFirst() })
        result.remapped.merge(rest.remapped) { $1 }
        return result
      }
      return alterations
    },
    Saboteur(
      "does not see what another process saved",
      "CONC-080",
      over: Fixtures.SQLiteFile()
    ) {
      let first = Shared<[DefaultSnapshot]?>(nil)
      return .giving { rows, _, query in
        guard query.entity == "Exhibit", rows.count == 2 else { return rows }
        return first.withLock { first in
          first = first ?? rows
          return first ?? rows
        }
      }
    },
    Saboteur("forgets to pass on who watches", "CONC-014", over: Fixtures.SQLiteFile()) {
      var alterations = Alterations()
      alterations.watch = { _ in nil }
      return alterations
    },
    Saboteur("notices its first save only", "CONC-015", over: Fixtures.SQLiteFile()) {
      var alterations = Alterations()
      alterations.latestSave = { _ in 1 }
      return alterations
    },
    Saboteur("goes on in another store", "CONC-016", over: Fixtures.SQLiteFile()) {
      .excusing(.storeReplaced)
    },
    Saboteur("goes on after a migration", "MIGR-008", over: Fixtures.SQLiteFile()) {
      .excusing(.schemaMismatch)
    },
  ]

  /// Those that claim too much, or too little.
  static let claiming: [Saboteur] = [
    Saboteur("claims no uniqueness and has it", "UNIQUE-090") {
      .declaring { $0.uniqueness = .unsupported("a lie") }
    },
    Saboteur("claims no versions and has them", "VERSION-090") {
      .declaring { $0.versions = .unsupported("a lie") }
    },
    Saboteur("claims no history and has it", "HIST-090") {
      .declaring { $0.history = .unsupported("a lie") }
    },
    Saboteur("claims not to filter and does", "QUERY-005") {
      .declaring { $0.filtering = .emulated }
    },
    Saboteur("claims not to sort and does", "SORT-002") { .declaring { $0.sorting = .emulated } },
    Saboteur("claims bulk changes and makes none", "BATCH-001") {
      .declaring { $0.batchDelete = .native }
    },
    Saboteur("claims no bulk changes and makes them", "BATCH-090", over: Fixtures.SQLiteInMemory())
    {
      .declaring { $0.batchDelete = .emulated }
    },
    Saboteur("passes over bulk changes that it does not make", "BATCH-090") {
      .saving { changes in changes.with { $0.bulkChanges = [] } }
    },
    Saboteur("claims versions and has none", "VERSION-002") {
      .giving { rows, _, _ in
        rows.map { row in
          var row = row
          row.version = 0
          return row
        }
      }
    },
    Saboteur(
      "claims no migration and spoils what it cannot read",
      "MIGR-090",
      over: SpoilingFixture()
    ),
  ]

  /// Those that let an older program change what a newer one stored.
  static let aging: [Saboteur] = [
    Saboteur(
      "drops what an older program does not know",
      "MIGR-007",
      over: Fixtures.SQLiteFile()
    ) {
      var alterations = Alterations()
      alterations.schema = { schema in
        schema.map {
          Schema(storeSchema: StoreSchema(version: "9.0.0", entities: $0.storeSchema.entities))
        }
      }
      return alterations
    }
  ]

  /// Those that say that something is stored which is not.
  static let failing: [Saboteur] = [
    Saboteur("reports success where a step failed", "DURA-001", over: Fixtures.JSON()) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError where error != .conflict {
          return StoreChangesResult(version: 1)
        }
      }
      return alterations
    },
    Saboteur("reports success before anything is written", "DURA-002", over: Fixtures.JSON()) {
      let waiting = Shared<[StoreChanges]>([])
      var alterations = Alterations()
      alterations.apply = { store, changes in
        guard !changes.deleted.isEmpty else { return try store.apply(changes) }
        waiting.withLock { $0.append(changes) }
        return StoreChangesResult(version: 1)
      }
      return alterations
    },
    Saboteur("reports a failure and saves all the same", "DURA-001", over: Fixtures.JSON()) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError where error != .conflict {
          _ = try? store.apply(changes)
          throw error
        }
      }
      return alterations
    },
    Saboteur("writes a save in two steps", "DURA-002", over: Fixtures.JSON()) {
      var alterations = Alterations()
      alterations.apply = { try $0.applyInParts($1) }
      return alterations
    },
    Saboteur("erases entity by entity", "DURA-004", over: Fixtures.JSON()) {
      var alterations = Alterations()
      alterations.erase = { store in
        for entity in ["Person", "Animal"] {
          let rows = try store.identifiers(StoreQuery(entity: entity))
          _ = try store.apply(StoreChanges(deleted: rows))
        }
      }
      return alterations
    },
    Saboteur("shows what it failed to save", "DURA-007", over: Fixtures.JSON()) {
      let shown = Shared<[DefaultSnapshot]>([])
      var alterations = Alterations.giving { rows, _, query in
        query.entity == "Animal" ? rows + shown.value : rows
      }
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError where error != .conflict {
          shown.withLock { $0 = changes.inserted }
          throw error
        }
      }
      return alterations
    },
  ]

  /// Those that get bulk changes wrong.
  static let bulk: [Saboteur] = [
    Saboteur("deletes all where some were meant", "BATCH-001", over: Fixtures.SQLiteInMemory()) {
      .changingInBulk { change in
        guard case .delete(let query) = change else { return [change] }
        return [.delete(query.with { $0.filter = nil })]
      }
    },
    Saboteur(
      "changes those of some rows that are left",
      "BATCH-009",
      over: Fixtures.SQLiteInMemory()
    ) {
      .changingInBulk { change in
        guard case .update(let query, let assignments) = change, let filter = query.filter else {
          return [change]
        }
        return [.update(query.with { $0.filter = .and([filter]) }, assignments)]
      }
    },
    Saboteur(
      "looks at each bulk deletion alone",
      "BATCH-010",
      over: Fixtures.SQLiteInMemory()
    ) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        guard changes.bulkChanges.count > 1 else { return try store.apply(changes) }
        return try changes.bulkChanges.map { try store.apply(StoreChanges(bulkChanges: [$0])) }
          .last ?? StoreChangesResult()
      }
      return alterations
    },
    Saboteur("makes a bulk update twice", "BATCH-003", over: Fixtures.SQLiteInMemory()) {
      .changingInBulk { change in
        guard case .update = change else { return [change] }
        return [change, change]
      }
    },
    Saboteur("does not say what it removed in bulk", "RANDOM-301", over: Fixtures.SQLiteInMemory())
    {
      .returning { result, _ in
        var result = result
        result.deleted = []
        return result
      }
    },
    Saboteur("makes bulk changes for themselves", "RANDOM-301", over: Fixtures.SQLiteInMemory()) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let done = try store.apply(StoreChanges(bulkChanges: changes.bulkChanges))
        var result = try store.apply(changes.with { $0.bulkChanges = [] })
        (result.updated, result.deleted) = (done.updated, done.deleted)
        return result
      }
      return alterations
    },
    Saboteur("makes bulk changes last", "RANDOM-301", over: Fixtures.SQLiteInMemory()) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        _ = try store.apply(changes.with { $0.bulkChanges = [] })
        return try store.apply(StoreChanges(bulkChanges: changes.bulkChanges))
      }
      return alterations
    },
    Saboteur("leaves the entities below", "BATCH-007", over: Fixtures.SQLiteInMemory()) {
      .changingInBulk { change in
        guard case .delete(let query) = change else { return [change] }
        return [.delete(query.with { $0.includesSubentities = false })]
      }
    },
  ]
}

extension Alterations {
  /// Finds nothing, and saves nothing, where the store throws an error.
  fileprivate static func excusing(_ code: DataStoreError) -> Alterations {
    @Sendable func excused<Result>(
      _ result: Result,
      _ body: () throws -> Result
    ) throws -> Result {
      do {
        return try body()
      } catch let error as DataStoreError where error == code {
        return result
      }
    }
    var alterations = Alterations()
    alterations.fetch = { store, query in try excused([]) { try store.fetch(query) } }
    alterations.read = { store, query in try excused([]) { try store.fetch(query) } }
    alterations.count = { store, query in try excused(0) { try store.count(query) } }
    alterations.identifiers = { store, query in try excused([]) { try store.identifiers(query) } }
    alterations.apply = { store, changes in
      try excused(StoreChangesResult()) { try store.apply(changes) }
    }
    return alterations
  }

  /// Makes other bulk changes than were asked for.
  fileprivate static func changingInBulk(
    _ change: @escaping @Sendable (BulkChange) -> [BulkChange]
  ) -> Alterations {
    saving { changes in changes.with { $0.bulkChanges = $0.bulkChanges.flatMap(change) } }
  }
}

/// Stores that are empty whenever they are opened, whatever location is named.
private struct ForgetfulFixture: StoreFixture {
  func makeLocation() {}

  func open(_ location: Void, schema: Schema?) throws -> MemoryStore {
    try MemoryStore(MemoryStoreConfiguration(schema: schema ?? Sample.schema))
  }

  func destroy(_ location: Void) {}
}

/// Stores that are all the same.
private struct SharedFixture: StoreFixture {
  let shared = MemoryStoreConfiguration()

  func makeLocation() {}

  func open(_ location: Void, schema: Schema?) throws -> MemoryStore {
    var configuration = shared
    configuration.schema = schema
    return try MemoryStore(configuration)
  }

  func destroy(_ location: Void) {}
}

/// Stores that lose all when they are opened with a schema that they do not know.
private struct SpoilingFixture: StoreFixture {
  func makeLocation() throws -> TemporaryFolder { try TemporaryFolder(inMemory: true) }

  func open(_ folder: TemporaryFolder, schema: Schema?) throws -> JSONFileStore {
    let url = folder.file("a.json")
    let configuration = JSONFileStoreConfiguration(schema: schema, url: url)
    do {
      return try JSONFileStore(configuration, migrationPlan: nil)
    } catch DataStoreError.schemaMismatch {
      for name in try folder.names() { try FileManager.default.removeItem(at: folder.file(name)) }
      throw DataStoreError(.schemaMismatch, "the schema is another")
    }
  }

  func destroy(_ folder: TemporaryFolder) {}
}
