import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  private static func shows(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (String, StoreValue) -> StoreValue
  ) -> Saboteur {
    Saboteur(name, rule) { .showing(change) }
  }

  private static func saves(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (inout StoreChanges) -> Void
  ) -> Saboteur {
    Saboteur(name, rule) { .saving { $0.with(change) } }
  }

  private static func joins(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (String, [PersistentIdentifier]) -> [PersistentIdentifier]
  ) -> Saboteur {
    Saboteur(name, rule) { .joining(change) }
  }

  private static func stores(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (String, StoreValue) -> StoreValue
  ) -> Saboteur {
    Saboteur(name, rule) { .savingValues(change) }
  }

  private static func results(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (inout StoreChangesResult, StoreChanges) -> Void
  ) -> Saboteur {
    Saboteur(name, rule) {
      .returning { result, changes in
        var result = result
        change(&result, changes)
        return result
      }
    }
  }

  /// Those that keep relationships, rows and unique values wrongly.
  static let keepers: [Saboteur] = [
    joins("reverses members", "RANDOM-301") { $1.reversed() },
    joins("leaves the first member out", "REL-002") { Array($1.dropFirst()) },
    joins("leaves the last member out", "REL-002") { Array($1.dropLast()) },
    joins("gives a member twice", "REL-002") { $1 + $1.prefix(1) },
    joins("sorts lists without an inverse", "RANDOM-301") { $0 == "peers" ? $1.sorted() : $1 },
    joins("gives no members of the other side", "RANDOM-301") { $0 == "tags" ? [] : $1 },
    joins("gives 1,000 members at most", "REL-012") { Array($1.prefix(1_000)) },
    Saboteur("has no rows that are members of themselves", "RANDOM-301") {
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        let lists = try store.members(of: property, in: entity, owners: owners)
        let mayBeOwn = ["peers", "friends", "inner"].contains(property)
        return Dictionary(
          uniqueKeysWithValues: lists.map { owner, rows in
            (owner, rows.filter { !mayBeOwn || $0.integerKey != owner.integerKey })
          }
        )
      }
      return alterations
    },
    joins("gives members of one entity", "RANDOM-301") { _, rows in
      rows.filter { $0.entityName == rows.first?.entityName }
    },
    shows("shows no owner", "REL-001") { $0 == "owner" ? .null : $1 },
    shows("shows no counterpart", "RANDOM-301") { $0 == "cover" ? .null : $1 },
    shows("shows no counterpart of the other side", "RANDOM-301") { $0 == "item" ? .null : $1 },
    shows("shows no list of members", "DELETE-003") {
      $0 == "favourites" ? .identifiers([]) : $1
    },
    stores("stores no owner", "REL-001") { $0 == "owner" ? .null : $1 },
    stores("stores no outer box", "RANDOM-301") { $0 == "outer" ? .null : $1 },
    stores("stores lists in reverse", "RANDOM-301") { name, value in
      guard name == "peers", case .identifiers(let list) = value else { return value }
      return .identifiers(list.reversed())
    },
    stores("stores no order of members", "RANDOM-301") {
      ["boxes", "inner", "items"].contains($0) ? .null : $1
    },
    stores("stores half of a list", "REL-012") { name, value in
      guard case .identifiers(let list) = value, list.count > 100 else { return value }
      return .identifiers(Array(list.prefix(list.count / 2)))
    },
    stores("stores members of one side alone", "RANDOM-301") {
      $0 == "tags" ? .identifiers([]) : $1
    },
    stores("keeps members that moved", "REL-001") { name, value in
      name == "owner" && value.isNull ? .identifiers([]) : value
    },
    stores("stores unique values in no row", "UNIQUE-001") { $0 == "badge" ? .null : $1 },
    stores("keeps no pair unique", "RANDOM-301") { $0 == "number" ? .null : $1 },
    stores("keeps no inherited value unique", "RANDOM-301") { $0 == "code" ? .null : $1 },
    stores("keeps no value of an heir unique", "RANDOM-301") { $0 == "serial" ? .null : $1 },
    stores("keeps no reference unique", "RANDOM-301") {
      $0 == "place" ? .integer(.random(in: 0 ... .max)) : $1
    },
    stores("takes nil for a value that is unique", "UNIQUE-003") { name, value in
      name == "badge" && value.isNull ? .integer(0) : value
    },
    stores("stores unique texts in lower case", "UNIQUE-112") { name, value in
      name == "value" ? value.text { $0.lowercased() } : value
    },
    stores("stores texts in upper case", "VALUE-113") {
      $0 == "string" ? $1.text { $0.uppercased() } : $1
    },
    stores("stores a copy of long data cut", "VALUE-005") { _, value in
      guard case .data(let data) = value, data.count > 65_536 else { return value }
      return .data(data.prefix(65_536))
    },
    saves("deletes the first of many rows", "DELETE-001") {
      $0.deleted = Array($0.deleted.prefix(1))
    },
    saves("deletes none where something is inserted", "ATOM-005") {
      if !$0.inserted.isEmpty { $0.deleted = [] }
    },
    saves("updates none where something is deleted", "ATOM-005") {
      if !$0.deleted.isEmpty { $0.updated = [] }
    },
    saves("updates a row once", "RANDOM-301") { changes in
      var seen: Set<PersistentIdentifier> = []
      changes.updated = changes.updated.filter { seen.insert($0.identifier).inserted }
    },
    saves("applies updates from behind", "RANDOM-301") { $0.updated.reverse() },
    saves("updates the first value of an update", "RANDOM-301") { changes in
      changes.updated = changes.updated.map {
        StoreUpdate(identifier: $0.identifier, changes: Array($0.changes.prefix(1)))
      }
    },
    saves("passes over properties that are not there", "ATOM-011") { changes in
      changes.updated = changes.updated.map { update in
        let count = (try? Sample.entity(update.identifier.entityName).properties.count) ?? 0
        let known = update.changes.filter { (0..<count).contains($0.index) }
        return StoreUpdate(identifier: update.identifier, changes: known)
      }
    },
    saves("inserts from behind", "IDENT-002") { $0.inserted.reverse() },
    saves("takes unknown objects in updates for nil", "IDENT-014") { changes in
      let new = Set(changes.inserted.map(\.persistentIdentifier))
      changes.updated = changes.updated.map { update in
        StoreUpdate(
          identifier: update.identifier,
          changes: update.changes.map { .init($0.index, $0.value.without(unknownTo: new)) }
        )
      }
    },
    results("says that no record merged", "UNIQUE-001") { result, _ in result.merged = [] },
    results("says that all records merged", "RANDOM-301") { result, changes in
      result.merged = Set(changes.inserted.map(\.persistentIdentifier))
    },
    results("maps one record of two", "IDENT-001") { result, _ in
      if result.remapped.count > 1, let one = result.remapped.keys.first {
        result.remapped[one] = nil
      }
    },
    results("maps records of another save as well", "IDENT-001") { result, _ in
      if let one = result.remapped.values.first { result.remapped[one] = one }
    },
    results("maps to identifiers of another store", "IDENT-001") { result, _ in
      result.remapped = result.remapped.mapValues { row in
        PersistentIdentifier(
          scope: .init(storeIdentifier: "another", entityName: row.entityName),
          key: row.key
        )
      }
    },
    results("maps to the entity above", "IDENT-001") { result, _ in
      result.remapped = result.remapped.mapValues { row in
        guard row.entityName == "Dog" else { return row }
        return PersistentIdentifier(
          scope: .init(storeIdentifier: row.storeIdentifier, entityName: "Animal"),
          key: row.key
        )
      }
    },
    Saboteur("stops reading at an error, and works no more", "ATOM-012") {
      let isBroken = Shared(false)
      var alterations = Alterations()
      alterations.read = { _, _ in
        isBroken.withLock { $0 = true }
        return nil
      }
      alterations.apply = { store, changes in
        if isBroken.value { throw DataStoreError(.storeClosed, "the store gave up") }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("keeps references to the entity above as they are", "IDENT-015") {
      let given = Shared<[PersistentIdentifier.Key: PersistentIdentifier]>([:])
      var alterations = Alterations.showing { name, value in
        guard name == "animal", case .identifier(let one) = value else { return value }
        return given.value[one.key].map { .identifier($0) } ?? value
      }
      alterations.apply = { store, changes in
        let values = changes.inserted.compactMap { $0["animal"] }
        for case .identifier(let one) in values { given.withLock { $0[one.key] = one } }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("finds nothing by identifiers of the entity above", "IDENT-015") {
      .understanding { expression in
        guard case .contains(.constant(.identifiers(let list)), let value) = expression else {
          return expression
        }
        return .contains(.constant(.identifiers(list.filter { $0.entityName != "Animal" })), value)
      }
    },
    Saboteur("erases its identifiers as well", "RANDOM-301") {
      let erased = Shared(false)
      var alterations = Alterations.returning { result, _ in
        var result = result
        guard erased.value else { return result }
        result.remapped = result.remapped.mapValues { row in
          PersistentIdentifier(
            scope: .init(storeIdentifier: row.storeIdentifier, entityName: row.entityName),
            key: .integer((row.integerKey ?? 2) - 2)
          )
        }
        return result
      }
      alterations.erase = { store in
        try store.erase()
        erased.withLock { $0 = true }
      }
      return alterations
    },
    Saboteur(
      "brings rows back when it is opened again",
      "RANDOM-401",
      over: Fixtures.JSON()
    ) {
      let gone = Shared<[DefaultSnapshot]>([])
      return .reopened { isReopened in
        var alterations = Alterations.giving { rows, _, query in
          isReopened()
            ? gone.value.filter { $0.persistentIdentifier.entityName == query.entity } + rows : rows
        }
        alterations.apply = { store, changes in
          for row in changes.deleted {
            let records = try store.fetch(.rows([row], of: row.entityName))
            gone.withLock { $0 += records }
          }
          return try store.apply(changes)
        }
        return alterations
      }
    },
    Saboteur(
      "loses the order of members when it is opened again",
      "RANDOM-401",
      over: Fixtures.JSON()
    ) {
      .reopened { isReopened in .joining { isReopened() ? $1.sorted() : $1 } }
    },
    Saboteur("loses references when it is opened again", "LIFE-009") {
      .reopened { isReopened in
        .showing { $0 == "name" && isReopened() ? .string("") : $1 }
      }
    },
    Saboteur("has its rows twice when it is opened again", "LIFE-009") {
      .reopened { isReopened in .giving { rows, _, _ in isReopened() ? rows + rows : rows } }
    },
    Saboteur("is not erased when it is opened again", "RANDOM-401", over: Fixtures.JSON()) {
      let kept = Shared<[DefaultSnapshot]>([])
      return .reopened { isReopened in
        var alterations = Alterations.giving { rows, _, _ in isReopened() ? rows + kept.value : rows
        }
        alterations.erase = { store in
          let records = try store.fetch(StoreQuery(entity: "Tag"))
          kept.withLock { $0 = records }
          try store.erase()
        }
        return alterations
      }
    },
  ]
}

extension StoreValue {
  /// The value without references to new records outside of a batch.
  fileprivate func without(unknownTo new: Set<PersistentIdentifier>) -> StoreValue {
    switch self {
    case .identifier(let one): one.isTemporary && !new.contains(one) ? .null : self
    case .identifiers(let list):
      .identifiers(list.filter { !$0.isTemporary || new.contains($0) })
    default: self
    }
  }
}
