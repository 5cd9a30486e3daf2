import StoreProtocol

/// The elements of the to-many relationships of some rows.
struct StoreMembers {
  private var lists: [String: [PersistentIdentifier.Key: [PersistentIdentifier]]] = [:]

  /// Creates an empty list.
  init() {}

  /// Adds the elements of other rows.
  mutating func add(_ other: StoreMembers) {
    for (property, found) in other.lists {
      lists[property, default: [:]].merge(found) { $1 }
    }
  }

  init(of records: [DefaultSnapshot], schema: StoreSchema, in backend: any StoreBackend) throws {
    let byEntity = Dictionary(grouping: records, by: \.persistentIdentifier.entityName)
    for (name, group) in byEntity {
      for property in schema.entity(named: name)?.properties ?? [] where property.isToMany {
        let found = try backend.members(
          of: property.name,
          in: name,
          owners: group.map(\.persistentIdentifier)
        )
        for (owner, list) in found {
          lists["\(name).\(property.name)", default: [:]][owner.key] = list
        }
      }
    }
  }

  /// Returns the value of a property, with the elements of a to-many relationship.
  func value(
    of index: Int,
    _ property: StoreProperty,
    in record: DefaultSnapshot
  ) -> StoreValue {
    guard property.isToMany else { return record.values[index] }
    let identifier = record.persistentIdentifier
    return .identifiers(
      lists["\(identifier.entityName).\(property.name)"]?[identifier.key] ?? []
    )
  }
}
