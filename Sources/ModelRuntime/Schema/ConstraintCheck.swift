import StoreProtocol

/// Finds uniqueness constraints that no store can enforce.
struct ConstraintCheck {
  /// Returns the problems with the constraints that a model declares itself.
  static func problems(of layout: ModelLayout) -> [SwiftDataError] {
    let single = layout.properties.filter { property in
      property.declaringEntity == layout.entityName
        && (property.metadata.metadata as? Schema.Relationship)?.isUnique == true
    }
    let lists = layout.lists.filter(\.isUnique)
      .compactMap { $0 as? any PropertyNameLists }.flatMap(\.namesOrNil)
    return (single.map { [$0.name] } + lists).compactMap { problem(of: $0, in: layout) }
  }

  private static func problem(of names: [String?], in layout: ModelLayout) -> SwiftDataError? {
    for name in names {
      guard let name, let index = layout.index(named: name) else {
        return .loadIssueModelContainer.with(
          "#Unique names a key path that is not a persisted property of the model itself",
          entity: layout.entityName
        )
      }
      guard layout.properties[index].shape?.isToMany == true else { continue }
      return .loadIssueModelContainer.with(
        "a relationship to many cannot be unique; use an attribute or a relationship to one",
        entity: layout.entityName,
        property: name
      )
    }
    return nil
  }
}
