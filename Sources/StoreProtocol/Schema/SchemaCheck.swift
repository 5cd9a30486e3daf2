/// Checks that the entities of a schema are consistent, before other code traverses them.
///
/// A schema from a file is untrusted input: a hierarchy may be cyclic, and an inverse may name an
/// attribute. After this check, all code that uses a schema may rely on the following.
/// 1. Names are not empty, are unique in their schema or entity, and contain no control characters.
/// 2. Each entity inherits from an entity of the schema, at most ``maximumDepth`` levels deep and
///    without a cycle, and names the topmost one as its root.
/// 3. Its properties start with those that it inherits, of the same kinds.
/// 4. Each relationship refers to an entity of the schema and has a known delete rule. Its inverse,
///    if it has one, is a relationship of that entity that refers back and names no other inverse.
/// 5. Unique values and indexes consist of at least one property of their entity.
struct SchemaCheck {
  /// The maximum number of levels in a hierarchy of entities.
  static let maximumDepth = 64

  private let entities: [StoreEntity]
  private let byName: [String: StoreEntity]

  /// Throws for the first inconsistent entity, in the order of names.
  ///
  /// - Throws: ``DataStoreError`` of the given kind, with the invalid entity and property.
  static func run(
    _ entities: [StoreEntity],
    kind: DataStoreError
  ) throws(DataStoreError) {
    let check = SchemaCheck(entities)
    do throws(Objection) {
      try check.checkNames()
      for entity in check.entities { try check.check(entity) }
    } catch {
      throw DataStoreError(
        kind,
        error.sentence,
        entity: error.entity,
        property: error.property
      )
    }
  }

  private init(_ entities: [StoreEntity]) {
    self.entities = entities.sorted { $0.name < $1.name }
    byName = Dictionary(firstOf: entities.map { ($0.name, $0) })
  }

  /// A problem and its location.
  private struct Objection: Error {
    let sentence: String
    let entity: String
    var property: String?
  }

  private func checkNames() throws(Objection) {
    for entity in entities where !Self.isUsable(entity.name) {
      throw Objection(
        sentence: "the schema has an entity whose name is empty or has control characters",
        entity: entity.name
      )
    }
    for (one, next) in zip(entities, entities.dropFirst()) where one.name == next.name {
      throw Objection(sentence: "the schema has two entities with this name", entity: one.name)
    }
  }

  private static func isUsable(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  private func check(_ entity: StoreEntity) throws(Objection) {
    try checkHierarchy(of: entity)
    var names: Set<String> = []
    for property in entity.properties {
      guard Self.isUsable(property.name) else {
        throw Objection(
          sentence: "a property has a name that is empty or has control characters",
          entity: entity.name,
          property: property.name
        )
      }
      guard names.insert(property.name).inserted else {
        throw Objection(
          sentence: "the entity has two properties with this name",
          entity: entity.name,
          property: property.name
        )
      }
      if let relationship = property.relationship {
        try check(relationship, property, of: entity)
      }
    }
    try checkInherited(by: entity)
    for names in entity.uniquenessConstraints { try check(names, "unique values", of: entity) }
    for names in entity.indices { try check(names, "an index", of: entity) }
    try checkUnique(of: entity)
  }

  private func checkHierarchy(of entity: StoreEntity) throws(Objection) {
    var top = entity
    var depth = 1
    while let name = top.superentity {
      guard let above = byName[name] else {
        throw Objection(
          sentence: "the schema lacks the entity \(name) that it inherits from",
          entity: entity.name
        )
      }
      depth += 1
      guard depth <= Self.maximumDepth else {
        throw Objection(
          sentence: "the entity inherits from itself or is more than \(Self.maximumDepth) levels"
            + " below its root",
          entity: entity.name
        )
      }
      top = above
    }
    guard entity.root == top.name else {
      throw Objection(
        sentence: "the entity names \(entity.root) as its root; its root is \(top.name)",
        entity: entity.name
      )
    }
  }

  private func checkInherited(by entity: StoreEntity) throws(Objection) {
    guard let above = entity.superentity.flatMap({ byName[$0] }) else { return }
    for (index, inherited) in above.properties.enumerated() {
      guard entity.properties.indices.contains(index),
        entity.properties[index].isOfKind(inherited)
      else {
        throw Objection(
          sentence:
            "the entity lacks a property that it inherits from \(above.name), or declares it "
            + "differently",
          entity: entity.name,
          property: inherited.name
        )
      }
    }
  }

  private func check(
    _ relationship: StoreRelationship,
    _ property: StoreProperty,
    of entity: StoreEntity
  ) throws(Objection) {
    func objection(_ sentence: String) -> Objection {
      Objection(sentence: sentence, entity: entity.name, property: property.name)
    }
    guard let destination = byName[relationship.destination] else {
      throw objection(
        "the schema lacks the entity \(relationship.destination) that the relationship refers to"
      )
    }
    guard Schema.Relationship.DeleteRule(rawValue: relationship.deleteRule) != nil else {
      throw objection("there is no delete rule \(relationship.deleteRule)")
    }
    guard let inverse = relationship.inverse else { return }
    let name = "\(destination.name).\(inverse)"
    guard let back = destination.property(named: inverse), let other = back.relationship else {
      throw objection("the inverse \(name) is not a relationship")
    }
    guard relationship.inverseIsToOne == back.isToOne else {
      throw objection(
        "the inverse \(name) is not the to-one or to-many relationship that is declared here"
      )
    }
    // The inverse of an inherited relationship can refer to the superentity alone.
    guard other.inverse ?? property.name == property.name,
      isEntity(entity, kindOf: other.destination),
      byName[other.destination]?.property(named: property.name) != nil
    else {
      throw objection("the inverse \(name) does not refer back")
    }
  }

  /// Returns whether one entity is another or inherits from it; the hierarchy may still be cyclic.
  private func isEntity(_ entity: StoreEntity, kindOf ancestor: String) -> Bool {
    var current: StoreEntity? = entity
    for _ in 0..<Self.maximumDepth {
      guard let candidate = current else { return false }
      if candidate.name == ancestor { return true }
      current = candidate.superentity.flatMap { byName[$0] }
    }
    return false
  }

  private func check(
    _ names: [String],
    _ what: String,
    of entity: StoreEntity
  ) throws(Objection) {
    guard !names.isEmpty else {
      throw Objection(sentence: "the entity has \(what) without properties", entity: entity.name)
    }
    for name in names where entity.property(named: name) == nil {
      throw Objection(
        sentence: "the entity has \(what) of a property that it lacks",
        entity: entity.name,
        property: name
      )
    }
  }

  private func checkUnique(of entity: StoreEntity) throws(Objection) {
    let single = entity.properties.filter { $0.isUnique && $0.isToMany }.map(\.name)
    let joined = entity.uniquenessConstraints.joined()
      .filter { entity.property(named: $0)?.isToMany == true }
    guard let name = single.first ?? joined.first else { return }
    throw Objection(
      sentence: "values of this property cannot be unique: it refers to many objects",
      entity: entity.name,
      property: name
    )
  }
}

extension StoreProperty {
  /// Returns whether the property has the name of another and the same kind of value.
  ///
  /// Inverses may differ: a subentity can be the destination of a relationship whose destination is
  /// not its superentity.
  fileprivate func isOfKind(_ other: StoreProperty) -> Bool {
    guard name == other.name else { return false }
    switch (kind, other.kind) {
    case (.attribute(let own), .attribute(let others)): return own == others
    case (.toOne(let own), .toOne(let others)), (.toMany(let own), .toMany(let others)):
      return own.destination == others.destination
    default: return false
    }
  }
}

extension StoreSchema {
  /// Checks that the entities are consistent: hierarchies, properties, inverses and indexes.
  ///
  /// A decoded schema has passed this check. A store calls it when it is opened with a schema,
  /// which may be created by hand.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` with the invalid entity and property.
  /// - Complexity: O(*n*), where *n* is the number of all properties.
  public func validate() throws {
    try SchemaCheck.run(entities, kind: .invalidConfiguration)
  }
}
