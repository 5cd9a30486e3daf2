/// The entities of a model by name, with their inheritance.
package struct Hierarchy: Sendable {
  private let byName: [String: ManagedModel.Entity]
  private let children: [String: [String]]

  package init(_ model: ManagedModel) {
    byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
    var children: [String: [String]] = [:]
    for entity in model.entities {
      if let parent = entity.superentity { children[parent, default: []].append(entity.name) }
    }
    self.children = children
  }

  /// Returns an entity and all that inherit from it, parents before children.
  package func family(of name: String) -> [ManagedModel.Entity] {
    var result: [ManagedModel.Entity] = []
    var rest = [name]
    while let next = rest.popLast() {
      if let entity = byName[next] { result.append(entity) }
      rest += (children[next] ?? []).reversed()
    }
    return result
  }

  /// Returns the entities that an entity inherits from, the closest first.
  package func ancestors(of name: String) -> [ManagedModel.Entity] {
    var result: [ManagedModel.Entity] = []
    var current = byName[name]?.superentity
    while let name = current, let entity = byName[name] {
      result.append(entity)
      current = entity.superentity
    }
    return result
  }

  /// Returns the names of an entity, its ancestors and all that inherit from it.
  package func line(of name: String) -> [String] {
    (ancestors(of: name) + family(of: name)).map(\.name)
  }

  /// Returns the root of an entity's hierarchy.
  package func root(of name: String) -> String { ancestors(of: name).last?.name ?? name }

  /// Returns a relationship of an entity, which may be inherited.
  package func relationship(_ name: String, of entity: String) -> ManagedModel.Relationship? {
    guard let own = byName[entity] else { return nil }
    for entity in [own] + ancestors(of: entity) {
      if let found = entity.relationships.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  /// Returns whether a relationship that an entity declares is its own inverse.
  package func isOwnInverse(_ relationship: ManagedModel.Relationship, of entity: String) -> Bool {
    relationship.inverse == relationship.name
      && family(of: entity).contains { $0.name == relationship.destination }
  }
}
