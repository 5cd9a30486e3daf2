extension ManagedModel {
  /// Checks names, superentities and the destinations of relationships.
  ///
  /// Names must exist and be unique. Superentities must exist and form no cycle. Relationships must
  /// refer to entities. An inverse that does not exist at its destination is removed, since Core
  /// Data allows it.
  ///
  /// - Throws: ``FormatError`` that names the entity and the property.
  package mutating func check() throws(FormatError) {
    var byName: [String: Entity] = [:]
    for entity in entities {
      guard !entity.name.isEmpty, byName.updateValue(entity, forKey: entity.name) == nil else {
        throw FormatError(.model, "two entities are called '\(entity.name)'")
      }
    }
    for entity in entities { try checkAncestors(of: entity, in: byName) }
    let hierarchy = Hierarchy(self)
    for position in entities.indices {
      try checkProperties(of: &entities[position], byName, hierarchy)
    }
  }

  private func checkAncestors(
    of entity: Entity,
    in byName: [String: Entity]
  ) throws(FormatError) {
    var current = entity
    var steps = 0
    while let name = current.superentity {
      guard let next = byName[name] else {
        throw FormatError(.model, "'\(current.name)' inherits from '\(name)', which is missing")
      }
      steps += 1
      guard steps <= entities.count else {
        throw FormatError(.model, "'\(entity.name)' inherits from itself")
      }
      current = next
    }
  }

  private func checkProperties(
    of entity: inout Entity,
    _ byName: [String: Entity],
    _ hierarchy: Hierarchy
  ) throws(FormatError) {
    var names: Set<String> = []
    for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
      guard !name.isEmpty, names.insert(name).inserted else {
        throw FormatError(.model, "'\(entity.name)' has two properties called '\(name)'")
      }
    }
    for position in entity.relationships.indices {
      let relationship = entity.relationships[position]
      guard byName[relationship.destination] != nil else {
        throw FormatError(
          .model,
          "'\(entity.name).\(relationship.name)' refers to '\(relationship.destination)', which "
            + "is missing"
        )
      }
      guard let inverse = relationship.inverse else { continue }
      if hierarchy.relationship(inverse, of: relationship.destination) == nil {
        entity.relationships[position].inverse = nil
      }
    }
  }
}
