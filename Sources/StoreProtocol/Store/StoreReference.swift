/// A relationship of an entity and its subentities, by name.
public struct StoreReference: Hashable, Sendable {
  /// The entity that declares the relationship.
  package let entity: String
  /// The name of the relationship.
  package let property: String

  /// Creates a reference to a relationship.
  package init(_ property: String, of entity: String) {
    self.entity = entity
    self.property = property
  }
}
