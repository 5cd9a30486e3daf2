import StoreProtocol

/// The effects of some entities' delete rules beyond null in place of references.
package struct DeleteRules {
  /// A relationship to one of the entities that must not lose its object.
  package struct Loss {
    package let entity: StoreEntity
    package let property: StoreProperty
  }

  /// The relationships whose objects must not be lost, each at the entity that declares it.
  package let losses: [Loss]

  /// Whether a deletion needs to be checked for further effects.
  package let ask: Bool

  package init(of entities: [StoreEntity], in schema: StoreSchema) {
    var losses: [Loss] = []
    for entity in schema.entities {
      for property in schema.ownProperties(of: entity) {
        guard property.isToOne, !property.isOptional, let relationship = property.relationship,
          entities.contains(where: { schema.isEntity($0.name, kindOf: relationship.destination) }),
          Self.losesReference(relationship, schema)
        else { continue }
        losses.append(Loss(entity: entity, property: property))
      }
    }
    self.losses = losses
    ask =
      !losses.isEmpty
      || entities.contains {
        !$0.relationships(deleting: .cascade).isEmpty || !$0.relationships(deleting: .deny).isEmpty
      }
  }

  /// Whether the reference becomes null with its object: it does unless the rule of the inverse deletes
  /// its row, or denies the deletion.
  private static func losesReference(
    _ relationship: StoreRelationship,
    _ schema: StoreSchema
  ) -> Bool {
    guard let inverse = relationship.inverse else { return true }
    let other = schema.entity(named: relationship.destination)?.property(named: inverse)
    let rule = other?.relationship.flatMap {
      Schema.Relationship.DeleteRule(rawValue: $0.deleteRule)
    }
    return rule != .cascade && rule != .deny
  }
}

extension StoreEntity {
  package func relationships(deleting rule: Schema.Relationship.DeleteRule) -> [StoreProperty] {
    properties.filter { $0.relationship?.deleteRule == rule.rawValue }
  }
}
