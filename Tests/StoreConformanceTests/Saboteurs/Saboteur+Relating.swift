import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that give wrong identifiers.
  static let identifying: [Saboteur] = [
    Saboteur("reuses the identifier of a deleted row", "RANDOM-301") {
      .reusing(afterErasure: false)
    },
    Saboteur("reuses identifiers after an erasure", "RANDOM-301") { .reusing(afterErasure: true) },
    Saboteur("forgets one new identifier", "IDENT-001") {
      .returning { result, _ in
        var result = result
        result.remapped.keys.first.map { result.remapped[$0] = nil }
        return result
      }
    },
    Saboteur("gives identifiers from behind", "IDENT-002") {
      .saving { changes in changes.with { $0.inserted.reverse() } }
    },
    Saboteur("leads one reference of a new row to nothing", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          guard let last = changes.inserted.indices.last else { return }
          changes.inserted[last].values = changes.inserted[last].values.map { $0.withoutReference }
        }
      }
    },
    Saboteur("leads one of several references to another row", "RANDOM-301") {
      .saving { changes in
        let people = changes.inserted.map(\.persistentIdentifier)
        guard people.count > 2, let first = people.first else { return changes }
        return changes.with { changes in
          changes.inserted[2].values = changes.inserted[2].values.map { value in
            if case .identifier = value { return .identifier(first) }
            return value
          }
        }
      }
    },
    Saboteur("loses references of rows to themselves", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          changes.inserted = changes.inserted.map { record in
            var record = record
            let own = StoreValue.identifier(record.persistentIdentifier)
            record.values = record.values.map { $0 == own ? .null : $0 }
            return record
          }
        }
      }
    },
    Saboteur("leads no update to a new row", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          changes.updated = changes.updated.map { update in
            StoreUpdate(
              identifier: update.identifier,
              changes: update.changes.map { .init($0.index, $0.value.withoutNewRows) }
            )
          }
        }
      }
    },
    Saboteur("sorts new rows in lists", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          for index in changes.inserted.indices {
            changes.inserted[index].values = changes.inserted[index].values.map { value in
              guard case .identifiers(let list) = value else { return value }
              return .identifiers(list.sorted())
            }
          }
        }
      }
    },
    Saboteur("names the entity at the root", "RANDOM-301") {
      var alterations = Alterations()
      alterations.identifiers = { store, query in
        try store.identifiers(query).map { identifier in
          let schema = store.schema.storeSchema
          let root = schema.entity(named: identifier.entityName)?.root ?? identifier.entityName
          let store = identifier.storeIdentifier
          return PersistentIdentifier(
            scope: .init(storeIdentifier: store, entityName: root),
            key: identifier.key
          )
        }
      }
      return alterations
    },
    Saboteur("finds no row by the entity above", "IDENT-012") {
      .asking { query in
        guard let asked = query.identifiers else { return query }
        return .rows(asked.filter { $0.entityName != "Animal" }, of: query.entity)
      }
    },
    Saboteur("takes references to nobody for nil", "IDENT-013") {
      .saving { changes in
        let known = Set(changes.inserted.map(\.persistentIdentifier))
        return changes.with { changes in
          for index in changes.inserted.indices {
            changes.inserted[index].values = changes.inserted[index].values
              .map { $0.withoutNewRows(except: known) }
          }
        }
      }
    },
  ]

  /// Those that get relationships wrong.
  static let relating: [Saboteur] = [
    Saboteur("forgets the inverse", "REL-002") {
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        var listed: [PersistentIdentifier: [PersistentIdentifier]] = [:]
        for record in try store.fetch(.rows(owners, of: entity)) {
          if case .identifiers(let list)? = record[property] {
            listed[record.persistentIdentifier] = list
          } else {
            listed[record.persistentIdentifier] = []
          }
        }
        return listed
      }
      return alterations
    },
    Saboteur("sorts members", "RANDOM-301") { .joining { $1.sorted() } },
    Saboteur("remembers members too long", "RANDOM-301") {
      let seen = Shared<[PersistentIdentifier: [PersistentIdentifier]]>([:])
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        let now = try store.members(of: property, in: entity, owners: owners)
        return seen.withLock { seen in
          seen.merge(now) { old, new in old.isEmpty ? new : old }
          return seen.filter { owners.contains($0.key) }
        }
      }
      alterations.apply = { store, changes in
        let result = try store.apply(changes)
        // Read at once, so that what follows is remembered wrongly.
        let boxes = try store.identifiers(StoreQuery(entity: "Box"))
        let now = try store.members(of: "items", in: "Box", owners: boxes)
        seen.withLock { seen in seen.merge(now) { old, new in old.isEmpty ? new : old } }
        return result
      }
      return alterations
    },
    Saboteur("keeps lists as sets", "RANDOM-301") {
      .storing { value in
        guard case .identifiers(let list) = value else { return value }
        return .identifiers(list.sorted())
      }
    },
    Saboteur("stores one side from many to many", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          changes.updated = changes.updated.map { update in
            let schema = MachineSchema.schema.storeSchema
            let entity = schema.entity(named: update.identifier.entityName)
            let tags = entity?.indexByName["tags"]
            return StoreUpdate(
              identifier: update.identifier,
              changes: update.changes.filter { $0.index != tags }
            )
          }
        }
      }
    },
    Saboteur("returns one owner at a time", "RANDOM-301") {
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        try store.members(of: property, in: entity, owners: Array(owners.prefix(1)))
      }
      return alterations
    },
    Saboteur("loses the end of long lists", "REL-012") { .joining { Array($1.prefix(100)) } },
    Saboteur("keeps deleted rows in counts", "DELETE-001") {
      let deleted = Shared<[PersistentIdentifier]>([])
      var alterations = Alterations()
      alterations.apply = { store, changes in
        deleted.withLock { $0 += changes.deleted }
        return try store.apply(changes)
      }
      alterations.count = { store, query in
        let gone = deleted.value.count {
          store.schema.storeSchema.isEntity($0.entityName, kindOf: query.entity)
        }
        return try store.count(query) + gone
      }
      return alterations
    },
    Saboteur("leaves references to deleted rows", "DELETE-002") {
      let old = Shared<[PersistentIdentifier: DefaultSnapshot]>([:])
      var alterations = Alterations.giving { rows, _, _ in
        rows.map { old.value[$0.persistentIdentifier] ?? $0 }
      }
      alterations.apply = { store, changes in
        let gone = Set(changes.deleted)
        for entity in ["Person", "Animal", "Seat"] where !gone.isEmpty {
          for row in try store.fetch(StoreQuery(entity: entity)) where row.leads(to: gone) {
            old.withLock { $0[row.persistentIdentifier] = row }
          }
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("leaves deleted rows in lists", "DELETE-003") {
      let deleted = Shared<[PersistentIdentifier]>([])
      var alterations = Alterations.joining { property, members in
        property == "favourites" ? members + deleted.value : members
      }
      alterations.apply = { store, changes in
        deleted.withLock { $0 += changes.deleted }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("refuses to delete what is gone", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        for row in changes.deleted where try store.count(.rows([row], of: row.entityName)) == 0 {
          throw DataStoreError(.conflict, "the row is gone")
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("stores references to rows that were deleted before", "RANDOM-301") {
      let wanted = Shared<[PersistentIdentifier: StoreValue]>([:])
      var alterations = Alterations.giving { rows, _, _ in
        rows.map { row in
          var row = row
          if let box = wanted.value[row.persistentIdentifier] { row["box"] = box }
          return row
        }
      }
      alterations.apply = { store, changes in
        let result = try store.apply(changes)
        for record in changes.inserted {
          guard case .identifier(let box)? = record["box"], !box.isTemporary,
            let row = result.remapped[record.persistentIdentifier]
          else { continue }
          wanted.withLock { $0[row] = .identifier(box) }
        }
        return result
      }
      return alterations
    },
    Saboteur("keeps no value unique", "UNIQUE-001") {
      var alterations = Alterations()
      alterations.schema = { $0 === Sample.schema ? Sample.plainSchema : $0 }
      return alterations
    },
    Saboteur("says of no record that it became a row", "UNIQUE-001") {
      .returning { result, _ in
        var result = result
        result.merged = []
        return result
      }
    },
    Saboteur("lets the first of equal new records win", "UNIQUE-002") {
      .saving { changes in
        changes.with { changes in
          let people = changes.inserted.indices.filter { changes.inserted[$0]["email"] != nil }
          for (first, later) in zip(people, people.dropFirst())
          where changes.inserted[first]["email"] == changes.inserted[later]["email"] {
            changes.inserted[later].values = changes.inserted[first].values
          }
        }
      }
    },
    Saboteur("names no entity in its errors", "UNIQUE-006") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError {
          throw DataStoreError(error, error.message)
        }
      }
      return alterations
    },
    Saboteur("compares unique texts byte by byte", "UNIQUE-112") {
      .saving { changes in
        changes.with { changes in
          for index in changes.inserted.indices {
            guard case .string(let text)? = changes.inserted[index]["value"] else { continue }
            changes.inserted[index]["value"] = .string("\(Array(text.utf8))")
          }
        }
      }
    },
  ]
}

extension Alterations {
  /// Gives identifiers of rows that are gone to new ones, as a store does that counts its rows.
  fileprivate static func reusing(afterErasure: Bool) -> Alterations {
    let freed = Shared<[PersistentIdentifier]>([])
    var alterations = Alterations()
    alterations.apply = { store, changes in
      var result = try store.apply(changes)
      let wasFreed = freed.value
      freed.withLock { freed in
        for (temporary, permanent) in result.remapped {
          if let old = freed.firstIndex(where: { $0.entityName == permanent.entityName }) {
            result.remapped[temporary] = freed.remove(at: old)
          }
        }
      }
      if !afterErasure, wasFreed.count < 1_000 { freed.withLock { $0 += changes.deleted } }
      return result
    }
    if afterErasure {
      alterations.erase = { store in
        let people = try store.identifiers(StoreQuery(entity: "Person"))
        freed.withLock { $0 += people }
        try store.erase()
      }
    }
    return alterations
  }
}

extension DefaultSnapshot {
  /// Whether a reference to one leads to one of some rows.
  fileprivate func leads(to rows: Set<PersistentIdentifier>) -> Bool {
    values.contains { value in
      if case .identifier(let one) = value { return rows.contains(one) }
      return false
    }
  }
}

extension StoreValue {
  /// The value, or nil for a reference to one.
  fileprivate var withoutReference: StoreValue {
    if case .identifier = self { return .null }
    return self
  }

  /// The value without references to rows that are not stored yet.
  fileprivate var withoutNewRows: StoreValue { withoutNewRows(except: []) }

  fileprivate func withoutNewRows(except known: Set<PersistentIdentifier>) -> StoreValue {
    func isLost(_ one: PersistentIdentifier) -> Bool { one.isTemporary && !known.contains(one) }
    switch self {
    case .identifier(let one): return isLost(one) ? .null : self
    case .identifiers(let list): return .identifiers(list.filter { !isLost($0) })
    default: return self
    }
  }
}
