import OpenSwiftData

@testable import StoreConformance

/// Creates random batches of changes to some rows.
///
/// New records may have the unique values of each other and of stored rows, so that some become
/// stored rows, and some batches are invalid.
struct RandomChanges {
  private static let entities = [
    "Person", "Person", "Dog", "Puppy", "Cat", "Animal", "Group", "Specimen", "Seat",
    "Exhibit",
  ]

  var source: RandomSource

  /// Returns a batch of some deletions, some updates of other rows, and some new records.
  mutating func batch(over all: [PersistentIdentifier]) throws -> StoreChanges {
    let deleted = source.oneIn(2) ? source.some(of: all, atMost: 2) : []
    let changed = source.some(of: all.filter { !deleted.contains($0) }, atMost: 4)
    var inserted = try (0..<source.below(5)).map { _ in
      try Sample.record(Self.entities[source.below(Self.entities.count)])
    }
    let targets = all + inserted.map(\.persistentIdentifier)
    for index in inserted.indices { try fill(&inserted[index], targets) }
    let updated = try changed.map { try update($0, targets) }
    return StoreChanges(inserted: inserted, updated: updated, deleted: deleted)
  }

  private mutating func fill(
    _ record: inout DefaultSnapshot,
    _ targets: [PersistentIdentifier]
  ) throws {
    let entity = try Sample.entity(record.persistentIdentifier.entityName)
    for (index, property) in entity.properties.enumerated() {
      if property.isOptional, source.oneIn(2) { continue }
      if let value = value(of: property, in: entity, targets) { record.values[index] = value }
    }
  }

  private mutating func update(
    _ identifier: PersistentIdentifier,
    _ targets: [PersistentIdentifier]
  ) throws -> StoreUpdate {
    let entity = try Sample.entity(identifier.entityName)
    let indices = source.some(of: Array(entity.properties.indices), atMost: 4).sorted()
    let changes = indices.compactMap { index -> StoreUpdate.Change? in
      value(of: entity.properties[index], in: entity, targets)
        .map { StoreUpdate.Change(index, $0) }
    }
    return StoreUpdate(identifier: identifier, changes: changes)
  }

  /// Returns a value for a property, or `nil` to leave it unchanged.
  private mutating func value(
    of property: StoreProperty,
    in entity: StoreEntity,
    _ targets: [PersistentIdentifier]
  ) -> StoreValue? {
    if entity.name == "Group" { return groupValue(of: property) }
    guard let type = property.attributeType else { return relationship(property, targets) }
    if property.isUnique { return uniqueValue(of: type) }
    if property.isOptional, source.oneIn(4) { return .null }
    if property.name == "row" { return .integer(Int64(source.below(4))) }
    return source.value(of: SampleTypes.type(of: property).unwrapped)
  }

  private mutating func groupValue(of property: StoreProperty) -> StoreValue? {
    switch property.name {
    case "name": .string("g\(source.below(2))")
    case "year": .integer(Int64(source.below(3)))
    default: nil
    }
  }

  private mutating func uniqueValue(of type: AttributeType) -> StoreValue {
    if type == .int64 { return .integer(Int64(source.below(12))) }
    let texts = ["a", "b", "A", "e\u{301}", "\u{E9}", "K", "\u{212A}", "", "\0"]
    return .string(texts[source.below(texts.count)])
  }

  // The layer above keeps both ends of the others consistent; separate rules test them.
  private static let relationships: Set = [
    "owner", "mentor", "pets", "students", "favourites", "group", "keeper", "animal", "specimen",
    "whole", "parts", "related", "makers", "animals",
  ]

  private mutating func relationship(
    _ property: StoreProperty,
    _ targets: [PersistentIdentifier]
  ) -> StoreValue? {
    guard let relationship = property.relationship, Self.relationships.contains(property.name)
    else { return nil }
    let schema = Sample.schema.storeSchema
    let fitting = targets.filter {
      schema.isEntity($0.entityName, kindOf: relationship.destination)
    }
    if property.isToMany { return .identifiers(source.some(of: fitting, atMost: 4)) }
    return fitting.randomElement(using: &source).map { .identifier($0) }
  }
}
