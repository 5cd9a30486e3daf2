import StoreProtocol

/// The hierarchies of entities whose objects reveal whether a bulk change was made.
///
/// While a context has no object of any of them, the change cannot be observed.
struct BulkReach {
  /// The names of the hierarchies' roots.
  private(set) var roots: Set<String> = []
  private let schema: StoreSchema

  /// Determines the reach of a change.
  ///
  /// It has the rows themselves, those that delete rules remove with them, and all that refer to
  /// any of these or are referred to.
  init(_ change: BulkChange, schema: StoreSchema) {
    self.schema = schema
    var removed: Set<String> = []
    var open = schema.family(of: change.query.entity).map(\.root)
    while let root = open.popLast() {
      guard removed.insert(root).inserted else { continue }
      guard case .delete = change else { break }
      for relationship in relationships(of: root)
      where relationship.deleteRule == Schema.Relationship.DeleteRule.cascade.rawValue {
        open += schema.entity(named: relationship.destination).map { [$0.root] } ?? []
      }
    }
    roots = removed
    for root in removed {
      for relationship in relationships(of: root) { add(relationship.destination) }
    }
    for entity in schema.entities {
      for case let relationship? in entity.properties.map(\.relationship)
      where removed.contains(schema.entity(named: relationship.destination)?.root ?? "") {
        roots.insert(entity.root)
      }
    }
  }

  private mutating func add(_ entity: String) {
    if let root = schema.entity(named: entity)?.root { roots.insert(root) }
  }

  private func relationships(of root: String) -> [StoreRelationship] {
    schema.entities.filter { $0.root == root }.flatMap { $0.properties.compactMap(\.relationship) }
  }
}
