import StoreProtocol

extension RecordStore {
  /// Returns records of the store with the elements of their to-many relationships.
  func withMembers(_ records: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    let schema = schema.storeSchema
    var completed = records
    let byEntity = Dictionary(grouping: records.indices) {
      records[$0].persistentIdentifier.entityName
    }
    for (name, indices) in byEntity {
      let properties = schema.entity(named: name)?.properties ?? []
      for (position, property) in properties.enumerated() where property.isToMany {
        let found = try members(
          of: property.name,
          in: name,
          owners: indices.map { records[$0].persistentIdentifier }
        )
        let byKey = Dictionary(lastOf: found.map { ($0.key.key, $0.value) })
        for index in indices {
          let key = records[index].persistentIdentifier.key
          completed[index].values[position] = .identifiers(byKey[key] ?? [])
        }
      }
    }
    return completed
  }
}
