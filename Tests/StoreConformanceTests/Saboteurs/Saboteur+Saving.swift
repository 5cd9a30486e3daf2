import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that store other values.
  static let valuing: [Saboteur] = [
    Saboteur("cuts dates to milliseconds", "VALUE-114") {
      .storing { value in
        guard case .date(let date) = value else { return value }
        let seconds = (date.timeIntervalSinceReferenceDate * 1_000).rounded(.down) / 1_000
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
    },
    Saboteur("loses the sign of zero", "VALUE-111") {
      .storing { value in
        guard case .double(let number) = value, number == 0 else { return value }
        return .double(0)
      }
    },
    Saboteur("stores NaN as nil", "VALUE-110") {
      .storing { value in
        guard case .double(let number) = value, number.isNaN else { return value }
        return .null
      }
    },
    Saboteur("takes whole numbers through floating point", "VALUE-105") {
      .storing { value in
        guard case .integer(let number) = value, number < .max - 1_000 else { return value }
        return .integer(Int64(Double(number)))
      }
    },
    Saboteur("takes unsigned numbers for signed ones", "VALUE-109") {
      .storing { value in
        guard case .unsigned(let number) = value else { return value }
        return .integer(Int64(bitPattern: number))
      }
    },
    Saboteur("takes decimal numbers through floating point", "VALUE-112") {
      .storing { value in
        guard case .decimal(let number) = value else { return value }
        return .decimal(Decimal(Double("\(number)") ?? 0))
      }
    },
    Saboteur("composes texts", "VALUE-113") {
      .storing { value in
        guard case .string(let text) = value else { return value }
        return .string(text.precomposedStringWithCanonicalMapping)
      }
    },
    Saboteur("ends texts at their first NUL", "VALUE-113") {
      .storing { value in
        guard case .string(let text) = value else { return value }
        return .string(String(text.prefix { $0 != "\0" }))
      }
    },
    Saboteur("stores empty data as nil", "VALUE-115") {
      .storing { $0 == .data(Data()) ? .null : $0 }
    },
    Saboteur("cuts long texts", "VALUE-005") {
      .storing { value in
        guard case .string(let text) = value, text.utf8.count > 65_536 else { return value }
        return .string(String(text.prefix(65_536)))
      }
    },
    Saboteur("sets what an update does not name to nil", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          changes.updated = changes.updated.map { update in
            let schema = MachineSchema.schema.storeSchema
            let entity = schema.entity(named: update.identifier.entityName)
            let named = Set(update.changes.map(\.index))
            let others = entity?.properties.indices.filter { index in
              !named.contains(index) && entity?.properties[index].attributeType != nil
                && entity?.properties[index].isOptional == true
            }
            let nothing = (others ?? []).map { StoreUpdate.Change($0, .null) }
            return StoreUpdate(
              identifier: update.identifier,
              changes: (update.changes + nothing).sorted { $0.index < $1.index }
            )
          }
        }
      }
    },
    Saboteur("stores values by their indexes", "VALUE-007") {
      .saving { changes in
        changes.with { changes in
          changes.inserted = changes.inserted.map { record in
            let name = record.persistentIdentifier.entityName
            guard let entity = Sample.schema.storeSchema.entity(named: name) else { return record }
            return DefaultSnapshot(
              persistentIdentifier: record.persistentIdentifier,
              entity: entity,
              values: record.values
            )
          }
        }
      }
    },
    Saboteur("reads row by row without dates", "VALUE-006") {
      var alterations = Alterations()
      alterations.read = { store, query in
        try store.fetch(query).map { record in
          var record = record
          record.values = record.values.map { value in
            if case .date = value { return .null }
            return value
          }
          return record
        }
      }
      return alterations
    },
  ]

  /// Those that save something else than they were asked to.
  static let saving: [Saboteur] = [
    Saboteur("loses the last change of a batch", "LIMIT-008") {
      .saving { changes in
        changes.with { if $0.updated.popLast() == nil { _ = $0.deleted.popLast() } }
      }
    },
    Saboteur("drops an update of two of one row", "RANDOM-301") {
      .saving { changes in
        changes.with { changes in
          var last: [PersistentIdentifier: StoreUpdate] = [:]
          for update in changes.updated { last[update.identifier] = update }
          changes.updated = last.values.sorted { $0.identifier < $1.identifier }
        }
      }
    },
    Saboteur("passes over an update of a missing row", "ATOM-002") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let updated = try changes.updated.filter { update in
          let row = update.identifier
          return try store.count(.rows([row], of: row.entityName)) == 1
            && !changes.deleted.contains(row)
        }
        return try store.apply(changes.with { $0.updated = updated })
      }
      return alterations
    },
    Saboteur("saves a batch in parts", "ATOM-003") {
      var alterations = Alterations()
      alterations.apply = { try $0.applyInParts($1) }
      return alterations
    },
    Saboteur("leaves rows of a refused batch behind", "RANDOM-301") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch {
          let left = changes.inserted.map { $0.withoutReferences }
          _ = try? store.apply(StoreChanges(inserted: left))
          throw error
        }
      }
      return alterations
    },
    Saboteur("gives up after a refused batch", "ATOM-004") {
      let hasFailed = Shared(false)
      var alterations = Alterations()
      alterations.apply = { store, changes in
        if hasFailed.value { throw DataStoreError(.storeClosed, "the store gave up") }
        do {
          return try store.apply(changes)
        } catch {
          hasFailed.withLock { $0 = true }
          throw error
        }
      }
      return alterations
    },
    Saboteur("writes before it deletes", "ATOM-005") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        let result = try store.apply(changes.with { $0.deleted = [] })
        let added = result.remapped.values.sorted()
        let deleted = changes.deleted + (changes.deleted.isEmpty ? [] : added.prefix(1))
        _ = try store.apply(StoreChanges(deleted: deleted))
        return result
      }
      return alterations
    },
    Saboteur("saves rows twice where nothing was to be saved", "ATOM-001") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        if changes.inserted.isEmpty, changes.updated.isEmpty, changes.deleted.isEmpty {
          let record = try Sample.record("Person", ["name": .string("Ada")])
          return try store.apply(StoreChanges(inserted: [record]))
        }
        return try store.apply(changes)
      }
      return alterations
    },
  ]
}

extension StoreChanges {
  /// The changes with a change of their own.
  func with(_ change: (inout StoreChanges) throws -> Void) rethrows -> StoreChanges {
    var changes = self
    try change(&changes)
    return changes
  }
}

extension DefaultSnapshot {
  /// A new record with the attributes of this one.
  fileprivate var withoutReferences: DefaultSnapshot {
    var record = self
    record.values = values.map { value in
      switch value {
      case .identifier, .identifiers: .null
      default: value
      }
    }
    return record
  }
}

extension RecordStore {
  /// Deletes first, then inserts and updates, each in a save of its own.
  func applyInParts(_ changes: StoreChanges) throws -> StoreChangesResult {
    _ = try apply(StoreChanges(deleted: changes.deleted))
    return try apply(changes.with { $0.deleted = [] })
  }
}
