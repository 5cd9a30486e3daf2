import StoreProtocol

/// The schema that all rules share, with methods to create its records.
///
/// Every entity except `Seat` has a `name`, by which the checks distinguish rows.
enum Sample {
  /// The schema: all attribute types, inheritance, relationships of every kind, unique values.
  static let schema = Schema(storeSchema: StoreSchema(entities: entities))

  /// The schema without unique values, for stores that enforce none.
  static let plainSchema = Schema(
    storeSchema: StoreSchema(entities: entities.map(SampleEntities.withoutUniqueValues))
  )

  private static var entities: [StoreEntity] {
    let animal = SampleEntities.animalProperties
    let dog = animal + [SampleEntities.attribute("breed", .string)]
    return [
      SampleEntities.specimen, SampleEntities.person, SampleEntities.group, SampleEntities.seat,
      SampleEntities.passport, SampleEntities.exhibit,
      SampleEntities.animal("Animal", animal),
      SampleEntities.animal("Dog", dog, above: "Animal"),
      SampleEntities.animal(
        "Puppy",
        dog + [SampleEntities.attribute("litter", .int64)],
        above: "Dog"
      ),
      SampleEntities.animal(
        "Cat",
        animal + [
          SampleEntities.attribute("lives", .int64, isOptional: false),
          SampleEntities.attribute("collar", .string, isUnique: true),
        ],
        above: "Animal",
        unique: [["collar"]]
      ),
    ]
  }

  /// Returns a new record with some values; others are absent, or zero if they are required.
  ///
  /// - Throws: A ``RuleViolation`` if the suite names a property that is not in the schema.
  static func record(
    _ entity: String,
    _ values: [String: StoreValue] = [:]
  ) throws -> DefaultSnapshot {
    let description = try self.entity(entity)
    var record = record(of: description, description.properties.map(SampleTypes.zero))
    for (name, value) in values {
      record.values[try index(of: name, in: description)] = value
    }
    return record
  }

  /// Returns a new record of an entity outside the schema, with all of its values.
  static func record(of entity: StoreEntity, _ values: [StoreValue]) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier.temporary(of: entity.name),
      entity: entity,
      values: values
    )
  }

  /// Returns an update of some values.
  static func update(
    _ identifier: PersistentIdentifier,
    _ values: [String: StoreValue]
  ) throws -> StoreUpdate {
    let entity = try entity(identifier.entityName)
    let changes = try values.map { name, value in
      StoreUpdate.Change(try index(of: name, in: entity), value)
    }
    return StoreUpdate(identifier: identifier, changes: changes.sorted { $0.index < $1.index })
  }

  /// Returns an entity of the schema.
  static func entity(_ name: String) throws -> StoreEntity {
    guard let entity = schema.storeSchema.entity(named: name) else {
      throw RuleViolation("the suite", expected: "a known entity", found: name)
    }
    return entity
  }

  private static func index(of name: String, in entity: StoreEntity) throws -> Int {
    guard let index = entity.indexByName[name] else {
      throw RuleViolation("the suite", expected: "a property of \(entity.name)", found: name)
    }
    return index
  }
}
