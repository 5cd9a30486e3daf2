import ModelRuntime
import StoreProtocol

/// The dependencies of a result: the entities, and their properties.
struct QueryDependencies: Sendable {
  /// The root of the fetched entity's hierarchy.
  let root: String
  /// The roots of all hierarchies whose rows count.
  let roots: Set<String>
  /// Whether a row alone determines if it belongs to the result.
  ///
  /// Three conditions must be met: the filter refers to no other row; nothing else refers to other
  /// rows of the hierarchy; the ordered result has no offset.
  let isEvaluatedByRow: Bool
  /// The value that the filter requires first, which all rows of the result have.
  ///
  /// `nil` unless the result depends on rows of one hierarchy alone, each evaluated separately.
  let requirement: Requirement?
  /// The bits of the properties, by entity, that change the result's objects or their order.
  private let listProperties: [String: UInt64]
  /// The bits of these properties and of those that change values of objects in the result.
  private let allProperties: [String: UInt64]
  /// The bits of the properties by which a row can join the result.
  let joiningProperties: [String: UInt64]

  /// Determines the dependencies of a query's result.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - schema: The entities.
  ///   - followsValues: Whether the values of the result's objects count as well, including the
  ///     identities of objects that they refer to.
  init(_ query: StoreQuery, schema: StoreSchema, followsValues: Bool = false) {
    let looked = query.inspectedProperties
    let reach = QueryReach(query, schema: schema)
    var unordered = query
    unordered.sort = []
    let filterReach = QueryReach(unordered, schema: schema)
    root = schema.entity(named: query.entity)?.root ?? query.entity
    let hierarchy = Self.lineage(of: query.entity, schema)
    var list = Self.bits(hierarchy) { looked.contains($0.name) }
    for other in reach.roots {
      let related = schema.family(of: other)
      let bits = Self.bits(related) { looked.contains($0.name) || $0.relationship != nil }
      list.merge(bits, uniquingKeysWith: |)
    }
    var all = list
    var others = reach.roots
    if followsValues {
      let wanted = query.properties.map(Set.init)
      all.merge(Self.bits(hierarchy) { wanted?.contains($0.name) != false }, uniquingKeysWith: |)
      let destinations = Self.destinations(of: hierarchy, schema, wanted)
      others.formUnion(destinations)
      for other in destinations {
        let bits = Self.bits(schema.family(of: other)) { $0.relationship != nil }
        all.merge(bits, uniquingKeysWith: |)
      }
    }
    isEvaluatedByRow =
      query.offset == 0 && filterReach.roots.isEmpty && !others.contains(root)
    listProperties = list
    allProperties = all
    roots = Set(all.keys.compactMap { schema.entity(named: $0)?.root }).union([root])
    let filtered = unordered.inspectedProperties
    // With a limit, a row also joins if it now precedes others.
    joiningProperties =
      query.limit == nil ? Self.bits(hierarchy) { filtered.contains($0.name) } : list
    requirement =
      isEvaluatedByRow && roots == [root] ? query.filter.flatMap(Requirement.init(leading:)) : nil
  }

  /// Creates dependencies on everything in some hierarchies.
  init(anythingIn roots: Set<String>, schema: StoreSchema) {
    root = roots.min() ?? ""
    self.roots = roots
    isEvaluatedByRow = false
    let entities = schema.entities.filter { roots.contains($0.root) }
    listProperties = Self.bits(entities) { _ in true }
    allProperties = listProperties
    joiningProperties = listProperties
    requirement = nil
  }

  /// Returns an entity with all that inherit from it, and all that it inherits from.
  ///
  /// An identifier may name either for one row.
  private static func lineage(of entity: String, _ schema: StoreSchema) -> [StoreEntity] {
    var found = schema.family(of: entity)
    var next = schema.entity(named: entity)?.superentity
    while let name = next, let ancestor = schema.entity(named: name),
      !found.contains(where: { $0.name == name })
    {
      found.append(ancestor)
      next = ancestor.superentity
    }
    return found
  }

  private static func bits(
    _ entities: [StoreEntity],
    where counts: (StoreProperty) -> Bool
  ) -> [String: UInt64] {
    entities.reduce(into: [:]) { result, entity in
      result[entity.name] = entity.properties.indices.reduce(0) { bits, index in
        counts(entity.properties[index]) ? bits | _ModelState.bit(index) : bits
      }
    }
  }

  private static func destinations(
    of entities: [StoreEntity],
    _ schema: StoreSchema,
    _ wanted: Set<String>?
  ) -> Set<String> {
    let related = entities.flatMap(\.properties).filter { wanted?.contains($0.name) != false }
    return Set(
      related.compactMap { $0.relationship?.destination }
        .compactMap { schema.entity(named: $0)?.root }
    )
  }

  /// Whether a row that was added or removed can matter.
  func concerns(membershipOf entity: String) -> Bool { allProperties[entity] != nil }

  /// Whether changes of properties can matter.
  func concerns(_ bits: UInt64, of entity: String) -> Bool {
    allProperties[entity].map { $0 & bits != 0 } ?? false
  }

  /// Whether changes of properties can move a row into the result, out of it, or within it.
  func moves(_ bits: UInt64, of entity: String) -> Bool {
    listProperties[entity].map { $0 & bits != 0 } ?? false
  }

  /// Whether changes can matter.
  func concerns(_ changes: SavedChanges) -> Bool {
    changes.isEverything
      || roots.contains { root in changes.byRoot[root].map(concerns) ?? false }
  }

  /// Whether changes of one hierarchy can matter.
  func concerns(_ rows: SavedChanges.Rows) -> Bool {
    rows.hasOthers || rows.entitiesWithMembershipChanges.contains { concerns(membershipOf: $0) }
      || rows.properties.contains { concerns($0.value, of: $0.key) }
  }
}
