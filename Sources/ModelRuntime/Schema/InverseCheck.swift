import StoreProtocol

/// Finds declared inverses that contradict each other.
struct InverseCheck {
  private let layout: ModelLayout
  private let ends: RelationshipEnds

  /// Returns the problems with the inverses of the relationships that a model declares itself.
  static func problems(of layout: ModelLayout) -> [SwiftDataError] {
    let check = InverseCheck(layout: layout, ends: RelationshipEnds.of(layout))
    return layout.properties.indices.compactMap { index in
      let property = layout.properties[index]
      guard property.declaringEntity == layout.entityName, let shape = property.shape,
        let reason = check.contradiction(at: index, to: ModelLayout.of(shape.destination))
      else { return nil }
      return .loadIssueModelContainer.with(
        reason,
        entity: layout.entityName,
        property: property.name
      )
    }
  }

  private func contradiction(at index: Int, to other: ModelLayout) -> String? {
    let declared = layout.properties[index].metadata.metadata as? Schema.Relationship
    guard let path = declared?.inverseKeyPath else { return nil }
    guard let back = other.index(leadingBy: path), let shape = other.properties[back].shape else {
      return
        "the declared inverse is not a relationship of \(other.entityName); name one of its "
        + "relationships"
    }
    let qualifiedName = "\(other.entityName).\(other.properties[back].name)"
    guard RelationshipEnds.leads(other.properties[back], to: layout, having: index) else {
      let found = ModelLayout.of(shape.destination).entityName
      return
        "the declared inverse \(qualifiedName) refers to \(found), not back; name a relationship that "
        + "refers back"
    }
    let otherEnds = RelationshipEnds.of(other)
    guard otherEnds.inverses[back] != index, otherEnds.shared[back] == nil,
      otherEnds.ambiguous[other.properties[back].name] == nil
    else { return nil }
    let named = otherEnds.inverses[back].map { "\(layout.properties[$0].name) as its own" }
    return
      "the declared inverse \(qualifiedName) names \(named ?? "no inverse"); declare "
      + "@Relationship(inverse:) on one side only"
  }
}
