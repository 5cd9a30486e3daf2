import OpenSwiftData
import Testing

/// Looks into the rows of a container's stores, past all objects.
enum StoredReferences {
  /// Checks that no stored reference leads to a row that does not exist, and that both ends of each
  /// relationship say the same.
  static func check(_ container: ModelContainer) throws {
    for store in container.stores {
      guard let store = store as? any RecordStore else { continue }
      let schema = store.schema.storeSchema
      let rows = try schema.entities.filter { $0.superentity == nil }
        .flatMap { try store.fetch(StoreQuery(entity: $0.name)) }
      let present = Set(rows.map(\.persistentIdentifier))
      for row in rows {
        guard let entity = schema.entity(named: row.persistentIdentifier.entityName) else {
          continue
        }
        for property in entity.properties where property.relationship != nil {
          let targets = try targets(of: row, property, store)
          #expect(
            targets.allSatisfy(present.contains),
            "\(row.persistentIdentifier) \(property.name)"
          )
          #expect(Set(targets).count == targets.count, "\(property.name) has nobody twice")
          try expectInverse(of: row, property, targets, store)
        }
      }
    }
  }

  private static func targets(
    of row: DefaultSnapshot,
    _ property: StoreProperty,
    _ store: any RecordStore
  ) throws -> [PersistentIdentifier] {
    let identifier = row.persistentIdentifier
    if property.isToMany {
      return try store.members(
        of: property.name,
        in: identifier.entityName,
        owners: [identifier]
      )[identifier] ?? []
    }
    if case .identifier(let one) = row[property.name] { return [one] }
    return []
  }

  private static func expectInverse(
    of row: DefaultSnapshot,
    _ property: StoreProperty,
    _ targets: [PersistentIdentifier],
    _ store: any RecordStore
  ) throws {
    guard let inverse = property.relationship?.inverse else { return }
    for target in targets {
      guard let other = try store.fetch(.rows([target], of: target.entityName)).first,
        let back = store.schema.storeSchema.entity(named: target.entityName)?
          .property(named: inverse)
      else { continue }
      let found = try self.targets(of: other, back, store)
      #expect(
        found.contains(row.persistentIdentifier),
        "\(row.persistentIdentifier).\(property.name) and \(target).\(inverse) agree"
      )
    }
  }
}
