import OpenSwiftData

/// The entities of a schema with the edges between them, for diagrams.
struct SchemaGraph {
  /// An edge from one entity to another, by their indices in the schema.
  struct Edge: Hashable {
    enum Kind: Hashable {
      /// The first entity inherits from the second.
      case inherits
      /// A relationship: the names at both ends, and the number of objects at each end.
      case relates(names: [String], near: String, far: String)
    }

    let from: Int
    let to: Int
    let kind: Kind
  }

  let schema: StoreSchema
  let edges: [Edge]

  init(_ schema: StoreSchema) {
    self.schema = schema
    let numbers = Dictionary(firstOf: schema.entities.enumerated().map { ($1.name, $0) })
    var edges: [Edge] = []
    for (number, entity) in schema.entities.enumerated() {
      if let above = entity.superentity.flatMap({ numbers[$0] }) {
        edges.append(Edge(from: number, to: above, kind: .inherits))
      }
      for property in schema.ownProperties(of: entity) {
        guard let relationship = property.relationship,
          let other = numbers[relationship.destination],
          Self.isDrawn(property, relationship, of: entity)
        else { continue }
        edges.append(
          Edge(from: number, to: other, kind: Self.kind(property, relationship, schema))
        )
      }
    }
    self.edges = edges
  }

  /// Returns whether the edge of a relationship starts here: only one of two ends draws it.
  static func isDrawn(
    _ property: StoreProperty,
    _ relationship: StoreRelationship,
    of entity: StoreEntity
  ) -> Bool {
    guard let inverse = relationship.inverse else { return true }
    if property.isToMany != !relationship.inverseIsToOne { return property.isToMany }
    return (entity.name, property.name) <= (relationship.destination, inverse)
  }

  private static func kind(
    _ property: StoreProperty,
    _ relationship: StoreRelationship,
    _ schema: StoreSchema
  ) -> Edge.Kind {
    let other = relationship.inverse.flatMap {
      schema.entity(named: relationship.destination)?.property(named: $0)
    }
    return .relates(
      names: [property.name] + (other.map { [$0.name] } ?? []),
      near: other.map(count) ?? "*",
      far: count(property)
    )
  }

  /// Returns the number of objects of a relationship, as a string.
  private static func count(_ property: StoreProperty) -> String {
    property.isToMany ? "*" : property.isOptional ? "0..1" : "1"
  }
}
