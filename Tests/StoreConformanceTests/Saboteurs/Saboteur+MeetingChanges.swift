import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  private static let machine = "RANDOM-301"

  /// Those that fail where two rules meet, in what they do with a batch.
  static let meetingChanges: [Saboteur] =
    bulkChanges + [
      Saboteur("raises the next key only for new rows", machine) {
        .saving { changes in
          changes.with { if $0.inserted.isEmpty { $0.nextKey = nil } }
        }
      },
      Saboteur("lowers the next key to that of a batch without new rows", machine) {
        let lowered = Shared<Int64?>(nil)
        var alterations = Alterations()
        alterations.nextKey = { store in try lowered.value ?? store.nextKey() }
        alterations.apply = { store, changes in
          let key = try store.nextKey() ?? 0
          let result = try store.apply(changes)
          lowered.withLock { lowered in
            if !changes.inserted.isEmpty { lowered = nil }
            if let next = changes.nextKey, next < key, changes.inserted.isEmpty { lowered = next }
          }
          return result
        }
        return alterations
      },
      Saboteur("keeps the unique values of batches that threw", machine) {
        let kept = Shared<Set<StoreValue>>([])
        var alterations = Alterations()
        alterations.apply = { store, changes in
          let values = changes.inserted.compactMap { $0["serial"] }.filter { !$0.isNull }
          if values.contains(where: kept.value.contains) {
            throw DataStoreError(.uniqueConflict, "another row has the value")
          }
          do {
            return try store.apply(changes)
          } catch let error as DataStoreError where error != .uniqueConflict {
            kept.withLock { $0.formUnion(values) }
            throw error
          }
        }
        return alterations
      },
      Saboteur("refuses the exchange of values that are unique together", machine) {
        var alterations = Alterations()
        alterations.apply = { store, changes in
          let boxes = try store.changedPairs(changes, "label", "shelf", of: "Box")
          let rows = try store.fetchIfKnown("Box")
          for (box, pair) in boxes {
            let isHeld = rows.contains { row in
              row.persistentIdentifier.key != box
                && [row["label"] ?? .null, row["shelf"] ?? .null] == pair
            }
            if isHeld, !pair.contains(.null) {
              throw DataStoreError(.uniqueConflict, "another row has the values")
            }
          }
          return try store.apply(changes)
        }
        return alterations
      },
      Saboteur("merges no values that the second of three levels adds", machine) {
        .restoringAfterMerges { record, schema in
          guard let entity = schema.entity(named: record.persistentIdentifier.entityName),
            entity.superentity != nil, schema.family(of: entity.name).count > 1
          else { return [] }
          return schema.ownProperties(of: entity).filter { !$0.isToMany && !$0.isUnique }
            .map(\.name) + ["size"]
        }
      },
      Saboteur("merges no lists of subentities", machine) {
        .restoringAfterMerges { record, schema in
          guard let entity = schema.entity(named: record.persistentIdentifier.entityName),
            entity.superentity != nil
          else { return [] }
          return schema.ownProperties(of: entity).filter { $0.relationship?.inverse == nil }
            .filter(\.isToMany).map(\.name)
        }
      },
      Saboteur("expects no versions of rows that it deletes, with other changes", "VERSION-010") {
        .saving { changes in
          changes.with { changes in
            guard !changes.inserted.isEmpty, !changes.updated.isEmpty else { return }
            for row in changes.deleted { changes.expectedVersions[row] = nil }
          }
        }
      },
      Saboteur(
        "names no merged records of subentities after reopening",
        "RANDOM-401",
        over: Fixtures.JSON()
      ) {
        .reopened { isReopened in
          .returning { result, changes in
            guard isReopened() else { return result }
            var result = result
            let schema = MachineSchema.schema.storeSchema
            result.merged = result.merged.filter {
              schema.entity(named: $0.entityName)?.superentity == nil
            }
            return result
          }
        }
      },
      Saboteur("notes a save that deletes only rows that do not exist", "RANDOM-301") {
        let empty = Shared<[StoreTransaction]>([])
        var alterations = Alterations()
        alterations.apply = { store, changes in
          let result = try store.apply(changes)
          if !changes.deleted.isEmpty, !result.isInHistory {
            let transaction = StoreTransaction(
              number: result.version,
              saveIdentifier: changes.saveIdentifier,
              timestamp: Date(),
              changes: []
            )
            empty.withLock { $0.append(transaction) }
          }
          return result
        }
        alterations.transactions = { try $0.transactions($1) + empty.value }
        return alterations
      },
    ]

  /// Those over a store that makes bulk changes.
  private static let bulkChanges: [Saboteur] = [
    Saboteur(
      "updates rows of the next subentities, and no further",
      machine,
      over: Fixtures.SQLiteInMemory()
    ) {
      .saving { changes in
        changes.with { changes in
          changes.bulkChanges = changes.bulkChanges.flatMap { change -> [BulkChange] in
            guard case .update(let query, let values) = change, query.includesSubentities,
              query.entity == "Item"
            else { return [change] }
            return ["Item", "Tool"].map { name in
              .update(
                StoreQuery(entity: name, includesSubentities: false, filter: query.filter),
                values
              )
            }
          }
        }
      }
    },
    Saboteur(
      "tells of no subentities that a bulk change updated",
      machine,
      over: Fixtures.SQLiteInMemory()
    ) {
      .reportingChanges { changes in
        changes.filter { change in
          change.properties != ["count"]
            || !["Tool", "Drill"].contains(change.identifier.entityName)
        }
      }
    },
    Saboteur(
      "returns the rows of one entity that a bulk change updated",
      machine,
      over: Fixtures.SQLiteInMemory()
    ) {
      .returning { result, _ in
        var result = result
        let entity = result.updated.first?.entityName
        result.updated = result.updated.filter { $0.entityName == entity }
        return result
      }
    },
    Saboteur(
      "takes what a bulk deletion clears for the program's",
      machine,
      over: Fixtures.SQLiteInMemory()
    ) {
      let saves = Shared<Set<Int64>>([])
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let result = try store.apply(changes)
        if !result.deleted.isEmpty { saves.withLock { _ = $0.insert(result.version) } }
        return result
      }
      alterations.transactions = { store, query in
        try store.transactions(query).map { transaction in
          guard saves.value.contains(transaction.number) else { return transaction }
          let changes = transaction.changes.map { change in
            change.cause == .deleteRule
              ? StoreChange(change.kind, change.identifier, properties: change.properties)
              : change
          }
          return transaction.with(author: transaction.author, changes: changes)
        }
      }
      return alterations
    },
  ]
}

extension Alterations {
  /// Gives rows that records were merged into some of their old values back.
  fileprivate static func restoringAfterMerges(
    _ names: @escaping @Sendable (DefaultSnapshot, StoreSchema) -> [String]
  ) -> Alterations {
    var alterations = Alterations()
    alterations.apply = { store, changes in
      let before = try store.fetchIfKnown("Item")
      let result = try store.apply(changes)
      let updates = changes.inserted.compactMap { record -> StoreUpdate? in
        guard result.merged.contains(record.persistentIdentifier),
          let row = result.remapped[record.persistentIdentifier],
          let old = before.first(where: { $0.persistentIdentifier == row }),
          let entity = store.schema.storeSchema.entity(named: row.entityName)
        else { return nil }
        let restored = names(record, store.schema.storeSchema).compactMap { name in
          entity.indexByName[name].map { StoreUpdate.Change($0, old[name] ?? .null) }
        }
        return StoreUpdate(identifier: row, changes: restored.sorted { $0.index < $1.index })
      }
      if !updates.isEmpty { _ = try store.apply(StoreChanges(updated: updates)) }
      return result
    }
    return alterations
  }
}

extension RecordStore {
  /// Returns all rows of an entity, or none if the schema lacks it.
  fileprivate func fetchIfKnown(_ entity: String) throws -> [DefaultSnapshot] {
    guard schema.storeSchema.entity(named: entity) != nil else { return [] }
    return try fetch(StoreQuery(entity: entity))
  }

  /// Returns the new pairs of values of updated rows.
  fileprivate func changedPairs(
    _ changes: StoreChanges,
    _ first: String,
    _ second: String,
    of entity: String
  ) throws -> [(PersistentIdentifier.Key, [StoreValue])] {
    guard let description = schema.storeSchema.entity(named: entity) else { return [] }
    return try changes.updated.filter { $0.identifier.entityName == entity }.compactMap { update in
      guard let row = try fetch(.rows([update.identifier], of: entity)).first else { return nil }
      let pair = [first, second].map { name in
        update.changes.last { description.properties[$0.index].name == name }?.value ?? row[name]
          ?? .null
      }
      return (update.identifier.key, pair)
    }
  }
}
