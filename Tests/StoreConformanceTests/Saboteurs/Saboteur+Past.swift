import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that are wrong about the past of a store and about who has read it.
  static let ofThePast: [Saboteur] = [
    Saboteur("names a transaction anew at each reading", "HIST-015") {
      .telling { $0.with(author: $0.author, changes: Array($0.changes), save: UUID()) }
    },
    Saboteur("names transactions by their numbers", "HIST-015") {
      .telling {
        let save = UUID(ofSave: $0.number, in: "store")
        return $0.with(author: $0.author, changes: Array($0.changes), save: save)
      }
    },
    Saboteur("takes all saves for the program's", "HIST-015") {
      .telling { $0.with(author: $0.author, changes: Array($0.changes), origin: .program) }
    },
    Saboteur("knows origins of its own alone", "HIST-015") {
      .telling {
        let isKnown = [.program, .copy, .migration, .maintenance].contains($0.origin)
        let origin = isKnown ? $0.origin : .program
        return $0.with(author: $0.author, changes: Array($0.changes), origin: origin)
      }
    },
    Saboteur("has tokens that only count", "RANDOM-301") {
      var alterations = Alterations()
      alterations.saveIdentifier = { _, _ in nil }
      alterations.historyBounds = { HistoryBounds(cut: $0.cut, last: $0.last) }
      return alterations
    },
    Saboteur("names every position by the last save", "RANDOM-301") {
      var alterations = Alterations()
      alterations.saveIdentifier = { store, _ in try store.historyBounds().lastSave }
      return alterations
    },
    Saboteur("forgets the save at the cut", "RANDOM-301") {
      var alterations = Alterations()
      alterations.historyBounds = {
        HistoryBounds(cut: $0.cut, last: $0.last, lastSave: $0.lastSave)
      }
      return alterations
    },
    Saboteur("forgets the last save with its transaction", "RANDOM-301") {
      var alterations = Alterations()
      alterations.historyBounds = {
        let isEmpty = $0.cut == $0.last
        return HistoryBounds(
          cut: $0.cut,
          last: $0.last,
          cutSave: $0.cutSave,
          lastSave: isEmpty ? nil : $0.lastSave
        )
      }
      return alterations
    },
    Saboteur("keeps no readers", "RANDOM-301") {
      var alterations = Alterations()
      alterations.setHistoryReader = { _, _ in }
      return alterations
    },
    Saboteur("knows one reader", "RANDOM-301") {
      var alterations = Alterations()
      alterations.historyReaders = { Array($0.suffix(1)) }
      return alterations
    },
    Saboteur("moves no reader with a save", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        var changes = changes
        changes.readers = []
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("moves readers before the save is refused", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        if let store = store as? any HistoryKeeping {
          for reader in changes.readers { try store.setHistoryReader(reader) }
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("forgets what a reader has seen", "RANDOM-301") {
      var alterations = Alterations()
      alterations.historyReaders = {
        $0.map {
          HistoryReaderPosition(
            name: $0.name,
            number: $0.number,
            save: nil,
            timestamp: $0.timestamp
          )
        }
      }
      return alterations
    },
    Saboteur("lets go what a reader has not read", "HIST-018") {
      // It knows the reader, and its retention does not.
      let kept = Shared<[HistoryReaderPosition]>([])
      var alterations = Alterations()
      alterations.setHistoryReader = { _, position in kept.withLock { $0.append(position) } }
      alterations.historyReaders = { $0 + kept.value }
      return alterations
    },
    Saboteur("takes all changes for the program's", "RANDOM-301") {
      .telling { $0.mapChanges { $0.with(cause: .program, cleared: []) } }
    },
    Saboteur("takes cascades for the program's", "RANDOM-301") {
      .telling { $0.mapChanges { $0.kind == .delete ? $0.with(cause: .program, cleared: []) : $0 } }
    },
    Saboteur("takes a mixed change for the program's alone", "RANDOM-301") {
      .telling {
        $0.mapChanges { $0.cause == .program ? $0.with(cause: .program, cleared: []) : $0 }
      }
    },
    Saboteur("takes a mixed change for a delete rule's", "RANDOM-301") {
      .telling {
        $0.mapChanges {
          $0.clearedProperties.isEmpty
            ? $0 : $0.with(cause: .deleteRule, cleared: $0.properties)
        }
      }
    },
    Saboteur("passes over what delete rules added to a batch", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        try store.apply(changes.with { ($0.cascaded, $0.cleared) = ([], [:]) })
      }
      return alterations
    },
    Saboteur("takes whatever goes with another row for a cascade", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        try store.apply(changes.with { $0.cascaded = Set($0.deleted.dropFirst()) })
      }
      return alterations
    },
    Saboteur("takes merges for updates of the program", "RANDOM-301") {
      .telling {
        $0.mapChanges { $0.cause == .merge ? $0.with(cause: .program, cleared: []) : $0 }
      }
    },
    Saboteur("takes every update in a save with a merge for one", "RANDOM-301") {
      .telling { transaction in
        guard transaction.changes.contains(where: { $0.cause == .merge }) else {
          return transaction
        }
        return transaction.mapChanges {
          $0.kind == .update ? $0.with(cause: .merge, cleared: []) : $0
        }
      }
    },
    Saboteur("updates where records must be new", "UNIQUE-040") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        var changes = changes
        changes.requiresNew = false
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("does not say which object a new one equals", "UNIQUE-040") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError where error == .uniqueConflict {
          throw DataStoreError(.uniqueConflict, error.message, entity: error.entity)
        }
      }
      return alterations
    },
    Saboteur("drops what would change the class of a row", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError where error == .uniqueConflict {
          var changes = changes
          changes.inserted.removeAll { record in
            error.entity == record.persistentIdentifier.entityName
              && error.identifiers.contains { $0.entityName != error.entity }
          }
          return try store.apply(changes)
        }
      }
      return alterations
    },
    Saboteur("updates rows of the same class only", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let result = try store.apply(changes)
        for record in result.merged
        where result.remapped[record]?.entityName != record.entityName {
          throw DataStoreError(.uniqueConflict, "another class", entity: record.entityName)
        }
        return result
      }
      return alterations
    },
    Saboteur("forgets its readers when it is closed", "RANDOM-401", over: Fixtures.JSON()) {
      let openings = Shared(0)
      var alterations = Alterations()
      alterations.schema = { schema in
        openings.withLock { $0 += 1 }
        return schema
      }
      alterations.historyReaders = { openings.value > 1 ? [] : $0 }
      return alterations
    },
    Saboteur(
      "takes all changes for the program's once it was closed",
      "RANDOM-401",
      over: Fixtures.JSON()
    ) {
      let openings = Shared(0)
      var alterations = Alterations()
      alterations.schema = { schema in
        openings.withLock { $0 += 1 }
        return schema
      }
      alterations.transactions = { store, query in
        let found = try store.transactions(query)
        guard openings.value > 1 else { return found }
        return found.map { $0.mapChanges { $0.with(cause: .program, cleared: []) } }
      }
      return alterations
    },
    Saboteur("keeps the names of earlier versions", "HIST-025", over: Fixtures.JSON()) {
      .renaming("name", to: "title")
    },
    Saboteur("takes a new property for a former one", "HIST-025", over: Fixtures.JSON()) {
      .renaming("pages (former)", to: "pages")
    },
  ]
}

extension Alterations {
  /// Reports changes of a property as those of another.
  fileprivate static func renaming(_ old: String, to new: String) -> Alterations {
    var alterations = Alterations()
    alterations.transactions = { store, query in
      try store.transactions(query).map {
        $0.mapChanges { change in
          change.with(properties: change.properties.map { $0 == old ? new : $0 })
        }
      }
    }
    return alterations
  }
}

extension StoreTransaction {
  /// The transaction with each change altered.
  fileprivate func mapChanges(_ change: (StoreChange) -> StoreChange) -> StoreTransaction {
    with(author: author, changes: changes.map(change))
  }
}

extension StoreChange {
  fileprivate func with(
    properties: [String]? = nil,
    cause: Cause? = nil,
    cleared: [String]? = nil
  ) -> StoreChange {
    StoreChange(
      kind,
      identifier,
      properties: properties ?? self.properties,
      cause: cause ?? self.cause,
      clearedProperties: cleared ?? clearedProperties,
      before: before,
      after: after
    )
  }
}
