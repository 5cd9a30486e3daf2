/// A uniqueness constraint: properties whose combined values are unique.
public struct StoreConstraint: Hashable, Sendable {
  /// The topmost entity with the constraint, which includes all entities that inherit from it.
  public let entity: String
  /// The names of the properties.
  public let properties: [String]
}

extension StoreSchema {
  /// Returns the constraints on rows of an entity, including inherited ones.
  public func constraints(of entity: StoreEntity) -> [StoreConstraint] {
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
