import OpenSwiftData

/// Checks for references to missing rows and for relationships whose ends disagree.
struct RelationshipCheck {
  private(set) var problems: [StoreProblem] = []
  private(set) var repairs: [StoreCheck.Repair] = []

  private let opened: OpenedStore
  private let schema: StoreSchema
  /// The entity of each row, by root and key.
  private var entities: [String: [PersistentIdentifier.Key: String]] = [:]
  /// The targets of relationships that both ends keep, by `Entity.property` of their declaration.
  private var targets: [End: [PersistentIdentifier: [PersistentIdentifier]]] = [:]

  /// The largest number of problems to report.
  private static let mostProblems = 250

  private struct End: Hashable {
    let root: String
    let property: String
  }

  init(_ opened: OpenedStore) throws {
    self.opened = opened
    schema = opened.store.schema.storeSchema
    for entity in schema.entities {
      let query = StoreQuery(entity: entity.name, includesSubentities: false)
      for identifier in try opened.store.identifiers(query) {
        entities[entity.root, default: [:]][identifier.key] = entity.name
      }
    }
  }

  mutating func run() throws {
    let opened = opened
    for entity in schema.entities {
      let names = Set(entity.properties.filter(\.isLookedAt).map(\.name))
      if names.isEmpty { continue }
      let query = StoreQuery(entity: entity.name, includesSubentities: false)
      let wanted = WantedProperties(names: names, readsFiles: false)
      try opened.forEachObject(query, wanted) { object in
        for (index, property) in entity.properties.enumerated() where property.isLookedAt {
          look(at: object.values[index], index, property, of: object.identifier, entity)
        }
      }
    }
    for end in targets.keys.sorted(by: { ($0.root, $0.property) < ($1.root, $1.property) }) {
      compareEnds(end)
    }
  }

  private mutating func look(
    at value: StoreValue,
    _ index: Int,
    _ property: StoreProperty,
    of identifier: PersistentIdentifier,
    _ entity: StoreEntity
  ) {
    guard let relationship = property.relationship else { return }
    let listed: [PersistentIdentifier]
    switch value {
    case .identifier(let other): listed = [other]
    case .identifiers(let others): listed = others
    default: listed = []
    }
    let found = listed.filter { isThere($0, relationship) }
    for lost in listed where !found.contains(lost) {
      note("the relationship refers to \(lost), which does not exist", identifier, property)
    }
    if found.count < listed.count, property.canLoseObjects {
      let lost = listed.count - found.count
      repair(
        identifier,
        index,
        property.isToMany ? .identifiers(found) : .null,
        "\(identifier).\(property.name): "
          + (property.isToMany ? "\(lost) missing of \(listed.count) removed" : "set to nil")
      )
    }
    if property.isToOne, !property.isOptional, listed.isEmpty {
      note("the relationship is required and has no object", identifier, property)
    }
    guard property.isKeptByBothEnds, !found.isEmpty else { return }
    targets[End(root: entity.root, property: property.name), default: [:]][identifier] = found
  }

  private func isThere(
    _ identifier: PersistentIdentifier,
    _ relationship: StoreRelationship
  ) -> Bool {
    let root = schema.entity(named: relationship.destination)?.root ?? relationship.destination
    guard let entity = entities[root]?[identifier.key] else { return false }
    return schema.isEntity(entity, kindOf: relationship.destination)
  }

  /// Notes objects that refer to others which do not refer back.
  private mutating func compareEnds(_ end: End) {
    for (identifier, others) in (targets[end] ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let entity = schema.entity(named: identifier.entityName),
        let index = entity.indexByName[end.property],
        let inverse = entity.properties[index].relationship?.inverse
      else { continue }
      let property = entity.properties[index]
      for other in others {
        let back = targets(of: other, inverse)
        if back.contains(where: { $0.key == identifier.key }) { continue }
        note("\(other) does not refer back by '\(inverse)'", identifier, property)
        // Two other objects agree with each other: then this end is wrong.
        guard property.isToOne, property.isOptional, let rival = back.first,
          targets(of: rival, end.property).contains(where: { $0.key == other.key })
        else { continue }
        let why = "set to nil: \(other) and \(rival) refer to each other"
        repair(identifier, index, .null, "\(identifier).\(property.name): \(why)")
      }
    }
  }

  private func targets(
    of identifier: PersistentIdentifier,
    _ property: String
  ) -> [PersistentIdentifier] {
    let root = schema.entity(named: identifier.entityName)?.root ?? identifier.entityName
    return targets[End(root: root, property: property)]?[exact(identifier, root)] ?? []
  }

  /// Returns the identifier with the row's own entity.
  private func exact(_ identifier: PersistentIdentifier, _ root: String) -> PersistentIdentifier {
    guard let name = entities[root]?[identifier.key], name != identifier.entityName else {
      return identifier
    }
    return PersistentIdentifier(identifier.key, of: name, in: identifier.storeIdentifier)
  }

  private mutating func note(
    _ message: String,
    _ identifier: PersistentIdentifier,
    _ property: StoreProperty
  ) {
    guard problems.count < Self.mostProblems else { return }
    problems.append(StoreProblem(message, identifier: identifier, property: property.name))
  }

  private mutating func repair(
    _ identifier: PersistentIdentifier,
    _ index: Int,
    _ value: StoreValue,
    _ description: String
  ) {
    repairs.append(
      StoreCheck.Repair(
        identifier: identifier,
        index: index,
        value: value,
        description: description
      )
    )
  }
}

extension StoreProperty {
  /// Whether the rows of this end contain the relationship.
  fileprivate var isLookedAt: Bool { relationship != nil && !isDerivedToMany }
}
