import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  private static func history(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (StoreTransaction) -> StoreTransaction?
  ) -> Saboteur {
    Saboteur(name, rule) { .telling(change) }
  }

  private static func change(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (StoreChange) -> StoreChange?
  ) -> Saboteur {
    Saboteur(name, rule) { .reportingChanges { $0.compactMap(change) } }
  }

  private static func asks(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (inout StoreHistoryQuery) -> Void
  ) -> Saboteur {
    Saboteur(name, rule) {
      var alterations = Alterations()
      alterations.transactions = { store, query in
        var query = query
        change(&query)
        return try store.transactions(query)
      }
      return alterations
    }
  }

  private static func versions(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (Int64, PersistentIdentifier) -> Int64
  ) -> Saboteur {
    Saboteur(name, rule) {
      .giving { rows, _, _ in
        rows.map { record in
          var record = record
          record.version = change(record.version, record.persistentIdentifier)
          return record
        }
      }
    }
  }

  /// Those that are wrong about what changed, and when.
  static let followers: [Saboteur] = [
    history("reports no author", "HIST-001") { $0.with(author: nil, changes: Array($0.changes)) },
    history("tells the same author of all", "HIST-007") {
      $0.with(author: "ada", changes: Array($0.changes))
    },
    history("reports saves without changes", "HIST-001") {
      $0.with(author: $0.author, changes: [])
    },
    history("numbers transactions from another number", "HIST-001") {
      StoreTransaction(
        number: $0.number + 1,
        saveIdentifier: $0.saveIdentifier,
        timestamp: $0.timestamp,
        author: $0.author,
        changes: Array($0.changes)
      )
    },
    history("passes over every second save", "HIST-001") { $0.number.isMultiple(of: 2) ? nil : $0 },
    history("passes over saves without an author", "HIST-001") { $0.author == nil ? nil : $0 },
    change("reports no deletion", "HIST-002") { $0.kind == .delete ? nil : $0 },
    change("reports no insertion", "HIST-001") { $0.kind == .insert ? nil : $0 },
    change("reports no update", "HIST-002") { $0.kind == .update ? nil : $0 },
    change("reports deletions as updates", "HIST-002") {
      $0.kind == .delete ? StoreChange(.update, $0.identifier) : $0
    },
    change("reports insertions as updates", "HIST-001") {
      $0.kind == .insert ? StoreChange(.update, $0.identifier) : $0
    },
    change("names no property that changed", "HIST-002") {
      StoreChange($0.kind, $0.identifier, before: $0.before, after: $0.after)
    },
    change("names the first property that changed", "HIST-002") {
      StoreChange($0.kind, $0.identifier, properties: Array($0.properties.prefix(1)))
    },
    change("names a property that did not change", "HIST-002") {
      $0.kind == .update
        ? StoreChange(.update, $0.identifier, properties: $0.properties + ["email"]) : $0
    },
    change("keeps nothing of what was deleted", "RANDOM-301") {
      $0.kind == .delete ? StoreChange(.delete, $0.identifier) : $0
    },
    change("keeps zero for what was deleted", "RANDOM-301") {
      $0.kind == .delete
        ? StoreChange(.delete, $0.identifier, before: $0.before.mapValues { _ in .integer(0) }) : $0
    },
    change("reports another entity", "HIST-001") { change in
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: change.identifier.storeIdentifier,
        entityName: "Animal"
      )
      let row = PersistentIdentifier(scope: scope, key: change.identifier.key)
      return StoreChange(change.kind, row, properties: change.properties, before: change.before)
    },
    Saboteur("tells every change twice", "HIST-002") { .reportingChanges { $0 + $0 } },
    Saboteur("reports the first change", "HIST-002") { .reportingChanges { Array($0.prefix(1)) } },
    Saboteur("reports 999 rows at most", "HIST-006") {
      .reportingChanges { Array($0.prefix(999)) }
    },
    asks("gives one transaction more than asked for", "HIST-008") {
      $0.limit = $0.limit.map { $0 + 1 }
    },
    asks("gives all transactions always", "HIST-008") { $0.limit = nil },
    asks("looks at the first word of an order", "HIST-008") { $0.order = [] },
    asks("takes filters for their opposite", "HIST-007") {
      $0.filter = $0.filter.map { .not($0) }
    },
    Saboteur("forgets nothing of its history", "RANDOM-301") {
      var alterations = Alterations()
      alterations.deleteTransactions = { _, _ in }
      return alterations
    },
    Saboteur("forgets only what a filter names", "RANDOM-301") {
      var alterations = Alterations()
      alterations.deleteTransactions = { store, filter in
        if filter != nil { try store.deleteTransactions(filter) }
      }
      return alterations
    },
    Saboteur("is at an end of its history that is past", "HIST-001") {
      var alterations = Alterations()
      alterations.historyBounds = { HistoryBounds(cut: $0.cut, last: max($0.last - 1, 0)) }
      return alterations
    },
    Saboteur("cuts its history at its end", "HIST-001") {
      var alterations = Alterations()
      alterations.historyBounds = { HistoryBounds(cut: $0.last, last: $0.last) }
      return alterations
    },
    Saboteur("does not tell of bulk updates", "RANDOM-301", over: Fixtures.SQLiteInMemory()) {
      .reportingChanges { $0.filter { $0.kind != .update } }
    },
    Saboteur("does not tell of bulk deletions", "RANDOM-301", over: Fixtures.SQLiteInMemory()) {
      .reportingChanges { $0.filter { $0.kind != .delete } }
    },
    Saboteur("names all properties in bulk", "RANDOM-301", over: Fixtures.SQLiteInMemory()) {
      .reportingChanges { changes in
        changes.map {
          $0.kind == .update
            ? StoreChange(.update, $0.identifier, properties: $0.properties + ["name"]) : $0
        }
      }
    },
    versions("has version 1 for every row", "VERSION-002") { _, _ in 1 },
    versions("has no version of rows", "VERSION-002") { _, _ in 0 },
    versions("is a version ahead", "VERSION-002") { version, _ in version + 1 },
    versions("has no versions of drills", "RANDOM-301") { version, row in
      row.entityName == "Drill" ? 0 : version
    },
    Saboteur("has new versions when it is opened again", "VERSION-014") {
      .reopened { isReopened in
        var alterations = Alterations.giving { rows, _, _ in rows }
        alterations.apply = { store, changes in
          try store.apply(isReopened() ? changes.with { $0.expectedVersions = [:] } : changes)
        }
        return alterations
      }
    },
    Saboteur("begins to number saves anew", "RANDOM-401") {
      .reopened { isReopened in
        .returning { result, _ in
          var result = result
          if isReopened() { result.version = 1 }
          return result
        }
      }
    },
    Saboteur("numbers saves downward", "RANDOM-301") {
      .returning { result, _ in
        var result = result
        result.version = 1_000 - result.version
        return result
      }
    },
    Saboteur("looks at the versions of updates alone", "VERSION-008") {
      .saving { changes in
        changes.with { changes in
          if changes.updated.isEmpty { changes.expectedVersions = [:] }
        }
      }
    },
    Saboteur("looks at the versions of deletions alone", "VERSION-008") {
      .saving { changes in
        changes.with { changes in
          if changes.deleted.isEmpty { changes.expectedVersions = [:] }
        }
      }
    },
    Saboteur("looks at one version of a batch", "VERSION-010") {
      .saving { changes in
        changes.with { changes in
          let first = changes.expectedVersions.min { $0.key < $1.key }
          changes.expectedVersions = first.map { [$0.key: $0.value] } ?? [:]
        }
      }
    },
    Saboteur("expects versions of all rows that it changes", "VERSION-007") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        guard !changes.expectedVersions.isEmpty else { return try store.apply(changes) }
        return try store.apply(
          changes.with { changes in
            for update in changes.updated where changes.expectedVersions[update.identifier] == nil {
              changes.expectedVersions[update.identifier] = 1
            }
          }
        )
      }
      return alterations
    },
    Saboteur("takes a version that is too large", "VERSION-008") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        var changes = changes
        for (row, version) in changes.expectedVersions {
          let now = try store.fetch(.rows([row], of: row.entityName)).first?.version ?? version
          changes.expectedVersions[row] = min(version, now)
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("has members change their owner's version", "RANDOM-301") {
      .savingMore { store, changes in
        let owners = changes.inserted.flatMap { $0["box"]?.identifiers ?? [] }
        return try store.fetch(.rows(owners.filter { !$0.isTemporary }, of: "Box")).map { box in
          StoreUpdate(
            identifier: box.persistentIdentifier,
            changes: [.init(0, box.values[0])]
          )
        }
      }
    },
    Saboteur("loses one of two updates of threads", "CONC-005") {
      .saving { changes in changes.with { $0.expectedVersions = [:] } }
    },
    Saboteur("shows what was refused", "CONC-005") {
      let shown = Shared<Int>(0)
      var alterations = Alterations.giving { rows, _, query in
        guard query.entity == "Exhibit", shown.value > 0 else { return rows }
        shown.withLock { $0 -= 1 }
        return rows.map { $0.changing { $0 == "count" ? .integer(-1) : $1 } }
      }
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch {
          shown.withLock { $0 = 1 }
          throw error
        }
      }
      return alterations
    },
    Saboteur("reads from a state that is past", "CONC-005") {
      let last = Shared<[DefaultSnapshot]>([])
      let reads = Shared(0)
      return .giving { rows, _, query in
        guard query.entity == "Exhibit", rows.count == 2 else { return rows }
        reads.withLock { $0 += 1 }
        if reads.value.isMultiple(of: 5), !last.value.isEmpty { return last.value }
        if reads.value.isMultiple(of: 7) { last.withLock { $0 = rows } }
        return rows
      }
    },
    Saboteur("reads one row before, and one after a save", "CONC-005") {
      let before = Shared<[DefaultSnapshot]>([])
      return .giving { rows, _, query in
        guard query.entity == "Exhibit", rows.count == 2 else { return rows }
        let old = before.withLock { before in
          defer { before = rows }
          return before
        }
        return old.count == 2 ? [old[0], rows[1]] : rows
      }
    },
    Saboteur("reads page by page while others save", "CONC-005") {
      // The first page of a read that a save comes into, so that none has to be waited for.
      let begun = Shared<[DefaultSnapshot]>([])
      var alterations = Alterations()
      alterations.apply = { store, changes in
        var page = StoreQuery(entity: "Animal")
        page.limit = 3
        let first = try store.fetch(page)
        let result = try store.apply(changes)
        begun.withLock { $0 = first }
        return result
      }
      alterations.read = { store, query in
        guard query == StoreQuery(entity: "Animal") else { return nil }
        let first = begun.value
        var page = query
        page.offset = first.count
        return try first + store.fetch(page)
      }
      return alterations
    },
    Saboteur("deletes in a transaction of its own", "CONC-005") {
      // The rows between both, for the next read, as if it had come between.
      let between = Shared<[DefaultSnapshot]?>(nil)
      var alterations = Alterations()
      alterations.apply = { store, changes in
        guard !changes.deleted.isEmpty else { return try store.apply(changes) }
        let rows = try store.fetch(StoreQuery(entity: "Animal"))
        let result = try store.apply(changes)
        between.withLock { between in
          between = rows.filter { !changes.deleted.contains($0.persistentIdentifier) }
        }
        return result
      }
      alterations.read = { store, query in
        guard query == StoreQuery(entity: "Animal") else { return nil }
        return between.withLock { between in
          defer { between = nil }
          return between
        }
      }
      return alterations
    },
    Saboteur("saves without versions what comes last", "CONC-005") {
      var alterations = Alterations.declaring { $0.versions = .unsupported("a lie") }
      let saves = Shared(0)
      alterations.apply = { store, changes in
        let number = saves.withLock { saves in
          saves += 1
          return saves
        }
        // The fifth save is acknowledged, and performed only with the next one.
        return try store.apply(number == 5 ? changes.with { $0.updated = [] } : changes)
      }
      return alterations
    },
    Saboteur("does not see what another handle saved", "CONC-013", over: Fixtures.SQLiteFile()) {
      let caches = Shared<[ObjectIdentifier: [DefaultSnapshot]]>([:])
      var alterations = Alterations.giving { rows, store, query in
        guard query.entity == "Exhibit", rows.count == 2 else { return rows }
        return caches.withLock { caches in
          let cached = caches[ObjectIdentifier(store)] ?? rows
          caches[ObjectIdentifier(store)] = cached
          return cached
        }
      }
      alterations.apply = { store, changes in
        caches.withLock { $0[ObjectIdentifier(store)] = nil }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("saves pairs one by one", "CONC-005") {
      let number = Shared(0)
      var alterations = Alterations()
      alterations.count = { store, query in
        let count = try store.count(query)
        number.withLock { $0 += 1 }
        return query.entity == "Animal" && number.value.isMultiple(of: 3) ? count + 1 : count
      }
      return alterations
    },
  ]
}

extension Alterations {
  /// Saves updates of its own with the changes.
  static func savingMore(
    _ more: @escaping @Sendable (any RecordStore, StoreChanges) throws -> [StoreUpdate]
  ) -> Alterations {
    var alterations = Alterations()
    alterations.apply = { store, changes in
      let updates = try more(store, changes)
      return try store.apply(changes.with { $0.updated += updates })
    }
    return alterations
  }
}

extension RecordStore {
  /// A stored value.
  func value(_ name: String, of row: PersistentIdentifier) throws -> StoreValue {
    try fetch(.rows([row], of: row.entityName)).first?[name] ?? .null
  }
}
