import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Stores that somebody has only begun to write; each stops the suite in none of its rules.
  static let stubs: [Saboteur] = Stub.all.map { stub in Saboteur(stub.name, stub.rule, stub.make) }
}

/// A half-finished store: a good one with a part that does nothing yet.
struct Stub: Sendable {
  let name: String
  /// A rule that must notice, besides the first page of the report.
  let rule: String
  let make: @Sendable () -> Alterations

  private init(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (inout Alterations) -> Void
  ) {
    self.name = name
    self.rule = rule
    make = {
      var alterations = Alterations()
      change(&alterations)
      return alterations
    }
  }

  struct Unfinished: Error {}

  static let all: [Stub] = [
    Stub("does nothing", "IDENT-001") {
      $0 = .fetching { _, _ in [] }
      $0.apply = { _, _ in StoreChangesResult() }
      $0.members = { _, _, _, _ in [:] }
      $0.erase = { _ in }
    },
    Stub("maps keys and stores nothing", "IDENT-001") {
      $0 = .fetching { _, _ in [] }
      $0.apply = { store, changes in
        var result = StoreChangesResult()
        for (index, record) in changes.inserted.enumerated() {
          let scope = PersistentIdentifier.Scope(
            storeIdentifier: store.identifier,
            entityName: record.persistentIdentifier.entityName
          )
          result.remapped[record.persistentIdentifier] =
            PersistentIdentifier(scope: scope, key: .integer(Int64(index + 1)))
        }
        return result
      }
    },
    Stub("maps every record to one row", "IDENT-001") {
      $0.apply = { store, changes in
        var result = try store.apply(changes)
        let first = result.remapped.values.min()
        result.remapped = result.remapped.mapValues { first ?? $0 }
        return result
      }
    },
    Stub("maps no record", "IDENT-001") {
      $0.apply = { store, changes in
        var result = try store.apply(changes)
        result.remapped = [:]
        return result
      }
    },
    Stub("reads nothing", "SORT-001") { $0 = .fetching { _, _ in [] } },
    Stub("reads one row", "SORT-001") { $0 = .giving { rows, _, _ in Array(rows.prefix(1)) } },
    Stub("reads one row too many", "RANDOM-301") {
      $0 = .giving { rows, _, _ in rows + rows.suffix(1) }
    },
    Stub("has no identifiers of rows", "SORT-001") { $0.identifiers = { _, _ in [] } },
    Stub("counts nothing", "RANDOM-301") { $0.count = { _, _ in 0 } },
    Stub("counts less than nothing", "RANDOM-301") { $0.count = { _, _ in -1 } },
    Stub("counts more than there can be", "RANDOM-301") { $0.count = { _, _ in .max } },
    Stub("reads no row", "VALUE-006") { $0.read = { _, _ in [] } },
    Stub("gives records without values", "VALUE-003") {
      $0 = .giving { rows, _, _ in
        rows.map {
          DefaultSnapshot(
            persistentIdentifier: $0.persistentIdentifier,
            names: PropertyNames([]),
            values: []
          )
        }
      }
    },
    Stub("gives records with too few values", "VALUE-003") {
      $0 = .giving { rows, _, _ in
        rows.map { record in
          var record = record
          record.values = Array(record.values.prefix(1))
          return record
        }
      }
    },
    Stub("gives temporary identifiers", "IDENT-001") {
      $0.apply = { store, changes in
        var result = try store.apply(changes)
        for key in result.remapped.keys { result.remapped[key] = key }
        return result
      }
    },
    Stub("has no members", "REL-002") { $0.members = { _, _, _, _ in [:] } },
    Stub("has owners without members", "REL-002") {
      $0.members = { _, _, _, owners in
        Dictionary(owners.map { ($0, []) }, uniquingKeysWith: { $1 })
      }
    },
    Stub("tells nothing of its history", "HIST-001") { $0.transactions = { _, _ in [] } },
    Stub("has no bounds of its history", "RANDOM-301") {
      $0.historyBounds = { _ in HistoryBounds(cut: 0, last: 0) }
    },
    Stub("does not erase", "LIFE-006") { $0.erase = { _ in } },
    Stub("does not delete", "DELETE-001") {
      $0 = .saving { changes in changes.with { $0.deleted = [] } }
    },
    Stub("does not update", "RANDOM-301") {
      $0 = .saving { changes in changes.with { $0.updated = [] } }
    },
    Stub("throws whenever it is read", "LIFE-001") {
      $0 = .fetching { _, _ in throw Unfinished() }
    },
    Stub("throws whenever it saves", "RANDOM-301") { $0.apply = { _, _ in throw Unfinished() } },
    Stub("throws when members are asked for", "REL-002") {
      $0.members = { _, _, _, _ in throw Unfinished() }
    },
    Stub("throws when it is erased", "LIFE-006") { $0.erase = { _ in throw Unfinished() } },
    Stub("throws when its history is asked for", "HIST-001") {
      $0.transactions = { _, _ in throw Unfinished() }
    },
    Stub("throws when it is opened", "LIFE-001") { $0.schema = { _ in throw Unfinished() } },
  ]

  private static func forever() { DispatchSemaphore(value: 0).wait() }

  /// Those that never return from something.
  static let hanging: [Stub] = [
    Stub("never returns from fetch", "LIFE-001") {
      $0.fetch = { _, _ in
        forever()
        return []
      }
    },
    Stub("never returns from apply", "IDENT-001") {
      $0.apply = { _, _ in
        forever()
        return StoreChangesResult()
      }
    },
    Stub("never returns from members", "REL-002") {
      $0.members = { _, _, _, _ in
        forever()
        return [:]
      }
    },
    Stub("never returns from erase", "LIFE-006") { $0.erase = { _ in forever() } },
    Stub("never opens", "LIFE-001") {
      $0.schema = { schema in
        forever()
        return schema
      }
    },
  ]
}
