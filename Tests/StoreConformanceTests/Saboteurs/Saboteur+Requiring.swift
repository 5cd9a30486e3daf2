import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that mistake what is required, and which rows a constraint compares.
  static let requiring: [Saboteur] = [
    Saboteur("keeps required references to deleted rows", "DELETE-009") {
      .giving { rows, _, query in
        guard query.entity == "Card" else { return rows }
        return rows.map { row in
          row.changing { name, value in
            name == "owner" && value.isNull ? .identifier(row.persistentIdentifier) : value
          }
        }
      }
    },
    Saboteur("takes no required reference for nil", "DELETE-010") {
      .understanding { expression in
        guard expression == .row("owner", .equal, .null) else { return expression }
        return .constant(.bool(false))
      }
    },
    Saboteur("gives members under the identifiers that the rows have", "RANDOM-301") {
      var alterations = Alterations()
      alterations.members = { store, property, entity, owners in
        let members = try store.members(of: property, in: entity, owners: owners)
        let rows = try store.identifiers(StoreQuery(entity: entity))
        return members.reduce(into: [:]) { result, entry in
          let own = rows.first { $0.key == entry.key.key }
          result[own ?? entry.key] = entry.value
        }
      }
      return alterations
    },
    Saboteur("takes required references for optional ones when it merges", "UNIQUE-028") {
      .reading { property in
        StoreProperty(
          name: property.name,
          kind: property.kind,
          isOptional: property.isOptional || property.relationship != nil,
          isUnique: property.isUnique
        )
      }
    },
    Saboteur("has constraints hold for the entities above too", "UNIQUE-015") {
      .opening { entity in
        guard entity.name == "Plant" else { return entity }
        return StoreEntity(
          name: entity.name,
          properties: entity.properties,
          uniquenessConstraints: [["name"]]
        )
      }
    },
    Saboteur("takes NaN for zero where values are unique together", "UNIQUE-016") {
      .storing { value in
        if case .double(let number) = value, number.isNaN { .double(0) } else { value }
      }
    },
  ]
}

extension Alterations {
  /// Opens stores with other entities than were asked for.
  fileprivate static func opening(
    _ change: @escaping @Sendable (StoreEntity) -> StoreEntity
  ) -> Alterations {
    var alterations = Alterations()
    alterations.schema = { schema in
      schema.map { Schema(storeSchema: StoreSchema(entities: $0.storeSchema.entities.map(change))) }
    }
    return alterations
  }

  /// Opens stores with other properties than were asked for.
  fileprivate static func reading(
    _ change: @escaping @Sendable (StoreProperty) -> StoreProperty
  ) -> Alterations {
    opening { entity in
      StoreEntity(
        name: entity.name,
        superentity: entity.superentity,
        root: entity.root,
        properties: entity.properties.map(change),
        uniquenessConstraints: entity.uniquenessConstraints,
        indices: entity.indices
      )
    }
  }
}
