import StoreProtocol

extension ReadView {
  /// Returns the rows of an entity, with an index of the rows that refer to others by a property.
  func indexed(_ index: Int, _ property: Int) throws -> Table {
    try prepare(index)
    if let table = tables[index]?.table, table.isIndexed(property) { return table }
    return try makeIndex(index, property)
  }

  /// Returns the related objects of a to-many property of a row, in order.
  func members(of property: Int, owner: StoredRow) throws -> [PersistentIdentifier] {
    try prepare(owner.table)
    let description = owner.entity.properties[property]
    let listed = references(owner.table, owner.slot, property) ?? []
    guard description.isDerivedToMany, let relationship = description.relationship,
      let inverse = relationship.inverse
    else { return listed }
    let key = owner.source.table.keys[owner.slot]
    let belonging = try rows(of: relationship.destination, referringTo: key, by: inverse)
    return MemberOrder.ordered(belonging, by: listed)
  }

  private func rows(
    of entity: String,
    referringTo key: Int64,
    by property: String
  ) throws -> [PersistentIdentifier] {
    var result: [PersistentIdentifier] = []
    for index in try map.family(of: entity) {
      guard let position = map.schema.entities[index].indexByName[property] else { continue }
      let table = try indexed(index, position)
      for slot in table.slots(referringTo: key, by: position) {
        result.append(table.identifier(Int(slot)))
      }
    }
    return result
  }
}
