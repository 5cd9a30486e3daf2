import StoreProtocol

/// The role of a relationship in an inverse that several relationships of one model name.
///
/// ```swift
/// @Relationship(inverse: \Plant.yard) var leading: [Plant]
/// @Relationship(inverse: \Plant.yard) var trailing: [Plant]
/// ```
///
/// Each relationship has its own objects, so none can be derived from the inverse. Stores keep all
/// of them and the inverse as relationships without inverses, and the objects synchronize each
/// other.
package enum SharedInverse: Sendable {
  /// The relationship names the inverse, as its siblings do.
  case claim(inverse: Int, siblings: [Int])
  /// The relationship is the inverse that the other relationships name.
  case inverse(claims: [Int])

  /// Finds the role of a relationship, or returns `nil` if no other relationship names its inverse.
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

  /// Returns the relationships that name a property as their inverse, unless the property names its
  /// own.
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
