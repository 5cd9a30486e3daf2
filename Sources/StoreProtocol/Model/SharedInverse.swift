/// The part of a relationship in an inverse that several relationships of one model name.
///
/// ```swift
/// @Relationship(inverse: \Plant.yard) var leading: [Plant]
/// @Relationship(inverse: \Plant.yard) var trailing: [Plant]
/// ```
///
/// Each of them has objects of its own, so that none can be told from the inverse: stores keep all of them
/// and the inverse as relationships without inverses, and the objects bring each other in step.
package enum SharedInverse: Sendable {
  /// The relationship names the inverse, as the siblings do.
  case claim(inverse: Int, siblings: [Int])
  /// The relationship is the inverse that the others name.
  case inverse(claims: [Int])

  /// Finds the part of a relationship; `nil` if no other one names its inverse.
  init?(of index: Int, in layout: ModelLayout, other: ModelLayout) {
    if let path = RelationshipEnds.declaration(of: layout.properties[index])?.inverseKeyPath {
      guard let inverse = other.index(leadingBy: path),
        RelationshipEnds.leads(other.properties[inverse], to: layout, having: index)
      else { return nil }
      let claims = Self.claims(on: inverse, of: other, in: layout)
      guard claims.count > 1, claims.contains(index) else { return nil }
      self = .claim(inverse: inverse, siblings: claims.filter { $0 != index })
    } else {
      let claims = Self.claims(on: index, of: layout, in: other)
      guard claims.count > 1 else { return nil }
      self = .inverse(claims: claims)
    }
  }

  /// The relationships that name a property as their inverse, unless that names its own.
  private static func claims(
    on index: Int,
    of layout: ModelLayout,
    in other: ModelLayout
  ) -> [Int] {
    let declaration = RelationshipEnds.declaration(of: layout.properties[index])
    guard declaration?.inverseKeyPath == nil, declaration?.isOneWay != true else { return [] }
    return other.properties.indices.filter {
      RelationshipEnds.names(index, of: layout, from: $0, in: other)
    }
  }
}
