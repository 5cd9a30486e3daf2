import StoreProtocol

/// The expected contents of a store, as a dictionary that follows the contract.
struct Oracle {
  /// The values of each row by the names of its properties.
  private(set) var rows: [PersistentIdentifier: [String: StoreValue]] = [:]
  private var given: Set<PersistentIdentifier> = []

  /// Returns the rows of an entity and its subentities, in the order of their keys.
  func identifiers(of entity: String) -> [PersistentIdentifier] {
    rows.keys.filter { Sample.schema.storeSchema.isEntity($0.entityName, kindOf: entity) }.sorted()
  }

  /// Returns the related objects of some owners, according to the rows.
  func members(
    _ property: StoreProperty,
    of owners: [PersistentIdentifier]
  ) -> [PersistentIdentifier: [PersistentIdentifier]] {
    let inverse = property.isDerivedToMany ? property.relationship?.inverse : nil
    var belonging: [PersistentIdentifier: Set<PersistentIdentifier>] = [:]
    for (row, values) in rows {
      guard let inverse, case .identifier(let owner) = values[inverse] else { continue }
      belonging[owner, default: []].insert(row)
    }
    return owners.reduce(into: [:]) { members, owner in
      let listed = rows[owner]?[property.name]?.identifiers ?? []
      let own = belonging[owner] ?? []
      members[owner] =
        inverse == nil ? listed : listed.filter(own.contains) + own.subtracting(listed).sorted()
    }
  }

  /// Applies a batch that the store has applied.
  ///
  /// - Throws: A ``RuleViolation`` for identifiers that the store should not have assigned.
  mutating func apply(_ changes: StoreChanges, _ result: StoreChangesResult) throws {
    for identifier in changes.deleted { rows[identifier] = nil }
    for update in changes.updated {
      let names = try Sample.entity(update.identifier.entityName).propertyNames.names
      for change in update.changes { rows[update.identifier]?[names[change.index]] = change.value }
    }
    for record in changes.inserted { try insert(record, as: result.identifier(of: record)) }
    try expect("the remapped records", result.remapped.count, equals: changes.inserted.count)
    for (identifier, values) in rows {
      rows[identifier] = values.mapValues { settled($0.remapped(by: result.remapped)) }
    }
  }

  /// Removes all rows, but keeps the assigned identifiers.
  mutating func erase() { rows = [:] }

  private mutating func insert(
    _ record: DefaultSnapshot,
    as identifier: PersistentIdentifier
  ) throws {
    var values = Dictionary(uniqueKeysWithValues: zip(record.names.names, record.values))
    values["fleeting"] = values["fleeting"].map { _ in .null }
    if let equal = row(equalTo: values, entity: record.persistentIdentifier.entityName) {
      try expect("the row that a new record became", identifier, equals: equal)
    } else {
      try expect(
        "the identifier \(identifier)",
        given.insert(identifier).inserted,
        "an unused one"
      )
    }
    if let row = rows[identifier] { values = merged(values, into: row) }
    rows[identifier] = values
  }

  /// Returns the elements of both rows for a to-many relationship of a row that a new record
  /// updates.
  private func merged(
    _ values: [String: StoreValue],
    into row: [String: StoreValue]
  ) -> [String: StoreValue] {
    values.merging(row) { new, old in
      guard case .identifiers(let members) = old else { return new }
      guard case .identifiers(let others) = new else { return new.isNull ? old : new }
      return .identifiers(members + others.filter { !members.contains($0) })
    }
  }

  /// Returns the row with equal unique values.
  ///
  /// Groups are unique by name and year, and no other entity gets unique values here.
  private func row(
    equalTo values: [String: StoreValue],
    entity: String
  ) -> PersistentIdentifier? {
    guard entity == "Group", values["year"] != .null else { return nil }
    return rows.first {
      $0.key.entityName == "Group" && $0.value["year"] == values["year"]
        && $0.value["name"] == values["name"]
    }?.key
  }

  private func settled(_ value: StoreValue) -> StoreValue {
    switch value {
    case .identifier(let one): rows[one] == nil ? .null : value
    case .identifiers(let list):
      .identifiers(
        list.enumerated().filter { index, one in
          rows[one] != nil && !list[..<index].contains(one)
        }.map(\.element)
      )
    default: value
    }
  }
}

extension Oracle {
  /// Checks that the contents of a store equal these rows.
  func check(_ store: any RecordStore) throws {
    for entity in Sample.schema.storeSchema.entities where entity.superentity == nil {
      let records = try store.fetch(StoreQuery(entity: entity.name))
      let expected = identifiers(of: entity.name)
      let found = records.map(\.persistentIdentifier)
      try expect("the rows of \(entity.name)", found, equals: expected)
      for record in records { try check(record) }
      for property in entity.properties where property.isToMany {
        let members = try store.members(of: property.name, in: entity.name, owners: expected)
        let own = self.members(property, of: expected)
        for owner in expected {
          try expect("\(property.name) of \(owner)", members[owner], equals: own[owner])
        }
      }
    }
  }

  private func check(_ record: DefaultSnapshot) throws {
    let identifier = record.persistentIdentifier
    let values = rows[identifier]
    for property in try Sample.entity(identifier.entityName).properties where !property.isToMany {
      let name = property.name
      try expect("\(name) of \(identifier)", record[name], equals: values?[name])
    }
  }
}
