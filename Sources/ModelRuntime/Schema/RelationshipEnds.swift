import StoreProtocol
import Synchronization

/// The inverses of the relationships of a model type.
///
/// They are derived from the types alone, so inverses are maintained before an object has a
/// container.
package struct RelationshipEnds: Sendable {
  /// The index of the inverse in the destination's layout, by the index of the relationship.
  package let inverses: [Int: Int]
  /// The role of each relationship in an inverse that several relationships name.
  package let shared: [Int: SharedInverse]
  /// The names of relationships with an ambiguous inverse, with the candidates.
  package let ambiguous: [String: [String]]

  /// Returns the inverses of a model type, computed on first use.
  package static func of(_ layout: ModelLayout) -> RelationshipEnds {
    let key = ObjectIdentifier(layout)
    if let cached = cache.withLock({ $0[key] }) { return cached }
    let made = RelationshipEnds(layout)
    cache.withLock { $0[key] = made }
    return made
  }

  private static let cache = Mutex<[ObjectIdentifier: RelationshipEnds]>([:])

  private init(_ layout: ModelLayout) {
    var inverses: [Int: Int] = [:]
    var shared: [Int: SharedInverse] = [:]
    var ambiguous: [String: [String]] = [:]
    for (index, property) in layout.properties.enumerated() {
      guard let shape = property.shape else { continue }
      let other = ModelLayout.of(shape.destination)
      if let part = SharedInverse(of: index, in: layout, other: other) {
        shared[index] = part
        continue
      }
      let found = Self.inverse(of: index, in: layout, other: other)
      if found.back.count == 1, found.rivals.count < 2 {
        inverses[index] = found.back[0]
      } else if !found.back.isEmpty {
        ambiguous[property.name] =
          found.back.map { "\(other.entityName).\(other.properties[$0].name)" }
          + found.rivals.map { "\(layout.entityName).\(layout.properties[$0].name)" }
      }
    }
    self.inverses = inverses
    self.shared = shared
    self.ambiguous = ambiguous
  }

  /// The candidates for an inverse: properties of the destination, and properties of this type that
  /// claim the same one.
  private typealias Candidates = (back: [Int], rivals: [Int])

  /// Returns the candidates for an inverse: one without rivals if it is declared or unambiguous.
  private static func inverse(
    of index: Int,
    in layout: ModelLayout,
    other: ModelLayout
  ) -> Candidates {
    let property = layout.properties[index]
    if let declared = declaration(of: property)?.inverseKeyPath {
      return (other.index(leadingBy: declared).map { [$0] } ?? [], [])
    }
    // The inverse of the superclass also applies here; otherwise the classes of a hierarchy would
    // differ.
    if let above = layout.superlayout, index < above.storedCount,
      let inverse = RelationshipEnds.of(above).inverses[index]
    {
      return ([inverse], [])
    }
    if declaration(of: property)?.isOneWay == true { return ([], []) }
    let naming = other.properties.indices.filter { names(index, of: layout, from: $0, in: other) }
    if !naming.isEmpty { return (Array(naming), []) }
    // A relationship of a model to itself has an inverse only if it is declared, also in the
    // subclasses that inherit it.
    if leads(property, to: layout, having: index) { return ([], []) }
    let back = other.properties.indices.filter { candidate in
      isFree(candidate, in: other, against: layout)
        && leads(other.properties[candidate], to: layout, having: index)
    }
    let rivals = layout.properties.indices.filter { candidate in
      isFree(candidate, in: layout, against: other)
        && leads(layout.properties[candidate], to: other, having: 0)
    }
    return (Array(back), Array(rivals))
  }

  static func declaration(of property: ModelLayout.Property) -> Schema.Relationship? {
    property.metadata.metadata as? Schema.Relationship
  }

  /// Returns whether a property of the destination declares a property of this type as its inverse.
  static func names(
    _ index: Int,
    of layout: ModelLayout,
    from candidate: Int,
    in other: ModelLayout
  ) -> Bool {
    guard let declared = declaration(of: other.properties[candidate])?.inverseKeyPath else {
      return false
    }
    return layout.index(leadingBy: declared) == index
      && leads(other.properties[candidate], to: layout, having: index)
  }

  /// Returns whether a relationship neither declares an inverse nor is declared as one.
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

  /// Returns whether a property refers to a model, or to a superclass that also has the property at
  /// an index.
  static func leads(
    _ property: ModelLayout.Property,
    to layout: ModelLayout,
    having index: Int
  ) -> Bool {
    guard let shape = property.shape else { return false }
    var current: ModelLayout? = layout
    while let candidate = current, index < candidate.storedCount {
      if candidate.type == shape.destination { return true }
      // A model of another version, in whose place a schema has this one.
      if candidate.entityName == ModelLayout.of(shape.destination).entityName { return true }
      current = candidate.superlayout
    }
    return false
  }
}

extension ModelLayout {
  /// Returns the index of the property that a key path refers to, including inherited properties.
  package func index(leadingBy keyPath: AnyKeyPath) -> Int? {
    propertyName(leadingBy: keyPath).flatMap(index(named:))
  }

  /// Returns the name of the property that a key path refers to, including inherited properties.
  package func propertyName(leadingBy keyPath: AnyKeyPath) -> String? {
    if let name = propertyName(of: keyPath) { return name }
    // A key path to an inherited property names the subclass and equals no registered key path.
    return superlayout == nil ? nil : Self.nameOfProperty(at: keyPath)
  }
}
