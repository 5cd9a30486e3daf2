import Synchronization

/// The other end of each relationship of a model type.
///
/// Known from the types alone, so that inverses are kept before an object meets any container.
package struct RelationshipEnds: Sendable {
  /// The index of the inverse in the destination's layout, by the index of the relationship here.
  package let inverses: [Int: Int]
  /// The names of relationships whose inverse could be more than one property, with the candidates.
  package let ambiguous: [String: [String]]

  /// The ends of a model type, worked out when first asked for.
  package static func of(_ layout: ModelLayout) -> RelationshipEnds {
    let key = ObjectIdentifier(layout)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = RelationshipEnds(layout)
    cache.withLock { $0[key] = made }
    return made
  }

  private static let cache = Mutex<[ObjectIdentifier: RelationshipEnds]>([:])

  private init(_ layout: ModelLayout) {
    var inverses: [Int: Int] = [:]
    var ambiguous: [String: [String]] = [:]
    for (index, property) in layout.properties.enumerated() {
      guard let shape = property.shape else { continue }
      let other = ModelLayout.of(shape.destination)
      let found = Self.inverse(of: index, in: layout, other: other)
      if found.count == 1 {
        inverses[index] = found[0]
      } else if found.count > 1 {
        ambiguous[property.name] = found.map { other.properties[$0].name }
      }
    }
    self.inverses = inverses
    self.ambiguous = ambiguous
  }

  /// The candidates for an inverse: one when it is declared or unambiguous.
  private static func inverse(of index: Int, in layout: ModelLayout, other: ModelLayout) -> [Int] {
    let property = layout.properties[index]
    if let declared = declaration(of: property)?.inverseKeyPath {
      return other.index(of: declared).map { [$0] } ?? []
    }
    if declaration(of: property)?.isOneWay == true { return [] }
    let naming = other.properties.indices.filter { names(index, of: layout, from: $0, in: other) }
    if !naming.isEmpty { return Array(naming) }
    let back = other.properties.indices.filter { candidate in
      isFree(candidate, in: other, against: layout)
        && leads(other.properties[candidate], to: layout)
    }
    if other === layout { return [] }
    let rivals = layout.properties.indices.filter { candidate in
      isFree(candidate, in: layout, against: other)
        && leads(layout.properties[candidate], to: other)
    }
    // Two candidates stand for any number of them: what they are is for the message to say.
    return back.count == 1 && rivals.count > 1 ? Array(back) + Array(back) : Array(back)
  }

  private static func declaration(of property: ModelLayout.Property) -> Schema.Relationship? {
    property.metadata.metadata as? Schema.Relationship
  }

  /// Whether a property at the other end declares a property here as its inverse.
  private static func names(
    _ index: Int,
    of layout: ModelLayout,
    from candidate: Int,
    in other: ModelLayout
  ) -> Bool {
    guard let declared = declaration(of: other.properties[candidate])?.inverseKeyPath else {
      return false
    }
    return layout.index(of: declared) == index && leads(other.properties[candidate], to: layout)
  }

  /// Whether a relationship neither declares an inverse nor is declared as one.
  private static func isFree(
    _ index: Int,
    in layout: ModelLayout,
    against other: ModelLayout
  ) -> Bool {
    let property = layout.properties[index]
    guard property.shape != nil else { return false }
    if let declared = declaration(of: property) {
      guard declared.inverseKeyPath == nil, !declared.isOneWay else { return false }
    }
    return !other.properties.indices.contains { names(index, of: layout, from: $0, in: other) }
  }

  private static func leads(_ property: ModelLayout.Property, to layout: ModelLayout) -> Bool {
    guard let shape = property.shape else { return false }
    var current: ModelLayout? = layout
    while let candidate = current {
      if candidate.type == shape.destination { return true }
      current = candidate.superlayout
    }
    return false
  }
}
