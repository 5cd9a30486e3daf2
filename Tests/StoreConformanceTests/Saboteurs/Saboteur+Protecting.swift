import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that take related rows away, or refuse to.
  static let protecting: [Saboteur] = [
    Saboteur("protects no relationship", "VERSION-015") {
      .saving { changes in changes.with { $0.protectedReferences = [] } }
    },
    Saboteur("protects no list", "VERSION-015") {
      .saving { changes in
        changes.with { changes in
          changes.protectedReferences = changes.protectedReferences.filter {
            $0.property != "members"
          }
        }
      }
    },
    Saboteur("does not name the rows of a protected relationship", "VERSION-015") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        do {
          return try store.apply(changes)
        } catch let error as DataStoreError where error == .conflict {
          throw DataStoreError.conflict
        }
      }
      return alterations
    },
    Saboteur("protects relationships from the save itself", "VERSION-016") {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        if !changes.protectedReferences.isEmpty, !changes.deleted.isEmpty {
          let owned = try store.fetch(StoreQuery(entity: "Animal")).filter {
            $0["owner"]?.identifiers.first == changes.deleted[0]
          }
          if changes.protectedReferences.contains(StoreReference("owner", of: "Animal")),
            let row = owned.first
          {
            throw DataStoreError(
              .conflict,
              "a row is related",
              entity: "Animal",
              property: "owner",
              identifiers: [row.persistentIdentifier]
            )
          }
        }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("relates rows to missing ones", "VERSION-017") {
      .saving { changes in
        changes.with { if $0.deleted.isEmpty { $0.protectedReferences = [] } }
      }
    },
    Saboteur("relates changed rows to missing ones", "VERSION-017") {
      .saving { changes in
        changes.with {
          if !$0.updated.isEmpty && $0.deleted.isEmpty { $0.protectedReferences = [] }
        }
      }
    },
    Saboteur("names no row that lost a reference", "RANDOM-301") {
      .returning { result, _ in
        var result = result
        result.changedByStore = []
        return result
      }
    },
    Saboteur("names each row with a reference", "RANDOM-301") {
      .returning { result, changes in
        var result = result
        let rows = changes.inserted.filter { $0.values.contains { !$0.identifiers.isEmpty } }
        result.changedByStore += rows.compactMap { result.remapped[$0.persistentIdentifier] }
        return result
      }
    },
    Saboteur("claims no versions and protects relationships", "VERSION-091") {
      .declaring { $0.versions = .unsupported("a lie") }
    },
  ]
}
