/// Properties whose values are unique together.
package struct StoreConstraint: Hashable, Sendable {
  /// The topmost entity that has the constraint; it holds for all that inherit from it.
  package let entity: String
  /// The names of the properties.
  package let properties: [String]
}

extension StoreSchema {
  /// The constraints that hold for rows of an entity, inherited ones among them.
  package func constraints(of entity: StoreEntity) -> [StoreConstraint] {
    let above = entity.superentity.flatMap(self.entity(named:)).map(constraints(of:)) ?? []
    let inherited = Set(above.map(\.properties))
    var own: [[String]] = []
    for names in entity.uniquenessConstraints
      + entity.properties.filter(\.isUnique).map({ [$0.name] })
    where !inherited.contains(names) && !own.contains(names) {
      own.append(names)
    }
    return above + own.map { StoreConstraint(entity: entity.name, properties: $0) }
  }
}
