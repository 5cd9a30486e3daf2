import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that go on with what was true before, in one of the ways to ask or to save.
  static let stale: [Saboteur] = [
    Saboteur(
      "keeps counts until rows are saved one by one",
      "RANDOM-301",
      over: Fixtures.SQLiteInMemory()
    ) {
      let counts = Shared<[StoreQuery: Int]>([:])
      var alterations = Alterations()
      alterations.count = { store, query in
        if let count = counts.value[query] { return count }
        let count = try store.count(query)
        counts.withLock { $0[query] = count }
        return count
      }
      alterations.apply = { store, changes in
        if changes.bulkChanges.isEmpty { counts.withLock { $0 = [:] } }
        return try store.apply(changes)
      }
      alterations.erase = { store in
        counts.withLock { $0 = [:] }
        try store.erase()
      }
      return alterations
    },
    Saboteur("keeps lists of identifiers until the next save", "RANDOM-301") {
      let lists = Shared<[StoreQuery: [PersistentIdentifier]]>([:])
      var alterations = Alterations()
      alterations.identifiers = { store, query in
        if let list = lists.value[query] { return list }
        let list = try store.identifiers(query)
        lists.withLock { $0[query] = list }
        return list
      }
      alterations.apply = { store, changes in
        lists.withLock { $0 = [:] }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("keeps members until the owner is saved", "RANDOM-301") {
      let kept = Shared<[String: [PersistentIdentifier: [PersistentIdentifier]]]>([:])
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        if owners.count == 1, let known = kept.value[property]?[owners[0]] {
          return [owners[0]: known]
        }
        let found = try store.members(of: property, in: entity, owners: owners)
        kept.withLock { $0[property, default: [:]].merge(found) { $1 } }
        return found
      }
      alterations.apply = { store, changes in
        let saved = Set(changes.updated.map(\.identifier) + changes.deleted)
        kept.withLock { kept in
          kept = kept.mapValues { members in members.filter { !saved.contains($0.key) } }
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("counts for one handle what that has saved", "CONC-011", over: Fixtures.SQLiteFile()) {
      let handles = Shared<[ObjectIdentifier: [StoreQuery: Int]]>([:])
      var alterations = Alterations()
      alterations.count = { store, query in
        let handle = ObjectIdentifier(store)
        if let count = handles.value[handle]?[query] { return count }
        let count = try store.count(query)
        handles.withLock { $0[handle, default: [:]][query] = count }
        return count
      }
      alterations.apply = { store, changes in
        handles.withLock { $0[ObjectIdentifier(store)] = nil }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur(
      "takes what is saved after it was closed, and loses it",
      "LIFE-014",
      over: Fixtures.JSON()
    ) {
      let isClosed = Shared(false)
      var alterations = Alterations()
      alterations.schema = { schema in
        isClosed.withLock { $0 = false }
        return schema
      }
      alterations.close = { store in
        isClosed.withLock { $0 = true }
        try store.close()
      }
      alterations.apply = { store, changes in
        guard isClosed.value else { return try store.apply(changes) }
        var result = StoreChangesResult(version: 1_000)
        for record in changes.inserted {
          let entity = record.persistentIdentifier.entityName
          let scope = PersistentIdentifier.Scope(
            storeIdentifier: store.identifier,
            entityName: entity
          )
          result.remapped[record.persistentIdentifier] =
            PersistentIdentifier(scope: scope, key: .integer(1_000))
        }
        return result
      }
      return alterations
    },
    Saboteur("names the end of the history by the save before an erasure", "RANDOM-301") {
      let last = Shared<UUID?>(nil)
      let isErased = Shared(false)
      var alterations = Alterations()
      alterations.erase = { store in
        let save = try (store as? any HistoryKeeping)?.historyBounds().lastSave
        last.withLock { $0 = save }
        isErased.withLock { $0 = true }
        try store.erase()
      }
      alterations.historyBounds = { bounds in
        guard isErased.value, bounds.cut == bounds.last else { return bounds }
        return HistoryBounds(
          cut: bounds.cut,
          last: bounds.last,
          cutSave: last.value,
          lastSave: last.value
        )
      }
      return alterations
    },
    Saboteur("tells the same time of all saves", "HIST-024") {
      .telling {
        let time = Date(timeIntervalSinceReferenceDate: 0)
        return $0.with(author: $0.author, changes: Array($0.changes), timestamp: time)
      }
    },
    Saboteur("tells changes by their keys alone", "HIST-002") {
      .reportingChanges { changes in
        changes.sorted { ($0.identifier.integerKey ?? 0) < ($1.identifier.integerKey ?? 0) }
      }
    },
    Saboteur("goes back with its next key when rows are deleted", "RANDOM-301") {
      let least = Shared<Int64?>(nil)
      var alterations = Alterations()
      alterations.nextKey = { store in
        guard let next = try store.nextKey() else { return nil }
        return min(next, least.value ?? next)
      }
      alterations.apply = { store, changes in
        let result = try store.apply(changes)
        let deleted = changes.deleted.compactMap(\.integerKey).min()
        least.withLock { $0 = changes.inserted.isEmpty ? deleted ?? $0 : nil }
        return result
      }
      return alterations
    },
    Saboteur("does not say which new records became updates", "UNIQUE-001") {
      .returning { result, _ in
        var result = result
        result.merged = []
        return result
      }
    },
    Saboteur("counts rows of entities below in any case", "RANDOM-301") {
      var alterations = Alterations()
      alterations.count = { store, query in
        try store.count(query.with { $0.includesSubentities = true })
      }
      return alterations
    },
    Saboteur("reads row by row in the order of keys", "SORT-005") {
      var alterations = Alterations()
      alterations.read = { store, query in
        try store.fetch(query).sorted { $0.persistentIdentifier < $1.persistentIdentifier }
      }
      return alterations
    },
    Saboteur("selects from rows of the entity alone", "RANDOM-201") {
      var alterations = Alterations()
      alterations.select = { selection in
        var selection = selection
        selection.query.includesSubentities = false
        return selection
      }
      return alterations
    },
    Saboteur("stores what is new before it refuses what is not", "UNIQUE-040") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError
          where error == .uniqueConflict && changes.requiresNew
        {
          _ = try? store.apply(changes.with { $0.inserted = Array($0.inserted.prefix(1)) })
          throw error
        }
      }
      return alterations
    },
    Saboteur("forgets all readers with one of them", "RANDOM-301") {
      var alterations = Alterations()
      alterations.removeHistoryReader = { store, _ in
        for reader in try store.historyReaders() { try store.removeHistoryReader(reader.name) }
      }
      return alterations
    },
    Saboteur("moves readers forward only", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let known = try (store as? any HistoryKeeping)?.historyReaders() ?? []
        return try store.apply(
          changes.with { changes in
            changes.readers = changes.readers.filter { reader in
              !known.contains { $0.name == reader.name && $0.number > reader.number }
            }
          }
        )
      }
      return alterations
    },
  ]
}
