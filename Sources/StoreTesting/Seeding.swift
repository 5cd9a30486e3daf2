import Foundation
import OpenSwiftData

/// Creates objects from the rows of a fixture, and saves them.
struct Seeding {
  private let fixture: Fixture
  private let rows: [FixtureRow]
  private let context: ModelContext
  private let types: [String: any PersistentModel.Type]

  init(_ fixture: Fixture, _ rows: [FixtureRow], in context: ModelContext) {
    self.fixture = fixture
    self.rows = rows
    self.context = context
    types = context.container.schema.modelTypes
  }

  /// Inserts all objects, then relates them: a relationship may refer to any object of the fixture.
  func run() throws -> SeededObjects {
    let indexes = try indexesByKey()
    let models = try rows.map { try made($0) }
    // Lists first: a reference from an element to its owner takes precedence, as in a JSON
    // document.
    for isToMany in [true, false] {
      for (index, row) in rows.enumerated() {
        for reference in row.references where reference.isToMany == isToMany {
          try relate(models[index], row, by: reference, models, indexes)
        }
      }
    }
    try context.save()
    return SeededObjects(
      identifiersByKey: indexes.mapValues { models[$0].persistentModelID },
      identifiers: models.map(\.persistentModelID)
    )
  }

  private func indexesByKey() throws -> [String: Int] {
    var indexes: [String: Int] = [:]
    for (index, row) in rows.enumerated() {
      guard let key = row.key else { continue }
      if let other = indexes.updateValue(index, forKey: key) {
        throw fixture.failure(
          "the $id \(key) is already used by \(rows[other].path)",
          at: row.path,
          entity: row.entity
        )
      }
    }
    return indexes
  }

  private func made(_ row: FixtureRow) throws -> any PersistentModel {
    guard let type = types[row.entity] else {
      throw fixture.failure(
        "the container was opened without the model's type",
        at: row.path,
        entity: row.entity
      )
    }
    do {
      return try insert(type, json(of: row))
    } catch {
      throw located(error, row)
    }
  }

  private func insert<Model: PersistentModel>(
    _ type: Model.Type,
    _ json: Data
  ) throws -> any PersistentModel {
    try context.insert(decoder().decode(ModelSnapshot<Model>.self, from: json))
  }

  /// Returns the attributes of a row in the coded form of snapshots.
  private func json(of row: FixtureRow) throws -> Data {
    let entity = context.container.schema.storeSchema.entity(named: row.entity)
    var attributes = row.attributes
    for case (let name, .text(let digits)) in row.attributes
    where entity?.property(named: name)?.attributeType == .decimal {
      // Documents contain decimals as strings, whereas Foundation decodes only numbers.
      if let number = Decimal(string: digits) { attributes[name] = .number(number) }
    }
    return try JSONEncoder().encode(attributes)
  }

  private func relate(
    _ model: any PersistentModel,
    _ row: FixtureRow,
    by reference: FixtureReference,
    _ models: [any PersistentModel],
    _ indexes: [String: Int]
  ) throws {
    let targets = try reference.targets.map { target -> Reference in
      switch target {
      case .row(let index): return Reference(models[index])
      case .key(let key, let path):
        guard let index = indexes[key] else {
          throw fixture.failure(
            "no object has the $id \(key)",
            at: path,
            entity: row.entity,
            property: reference.property
          )
        }
        return Reference(models[index])
      }
    }
    do {
      let own: any PersistentModel.Type = type(of: model)
      try upsert(own, Relation(model, reference, targets))
    } catch {
      throw located(error, row, property: reference.property)
    }
  }

  private func upsert<Model: PersistentModel>(_ type: Model.Type, _ relation: Relation) throws {
    let json = try JSONEncoder().encode(relation)
    try context.upsert(decoder().decode(ModelSnapshot<Model>.self, from: json))
  }

  private func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom(FixtureDate.read)
    decoder.userInfo[.modelIdentifiers] = true
    return decoder
  }

  /// Returns an error with the location of its subject.
  private func located(
    _ error: any Error,
    _ row: FixtureRow,
    property: String? = nil
  ) -> DataStoreError {
    let stored = error as? DataStoreError
    let model = error as? SwiftDataError
    let property = property ?? stored?.property ?? model?.property
    return fixture.failure(
      stored?.message ?? model?.message ?? "\(error)",
      at: property.map { "\(row.path).\($0)" } ?? row.path,
      entity: row.entity,
      property: property,
      cause: stored?.cause ?? error
    )
  }
}

/// A reference to an object in the coded form of snapshots.
private struct Reference: Encodable {
  private let identifier: PersistentIdentifier
  private let entity: String

  private enum CodingKeys: String, CodingKey {
    case identifier = "$id"
    case entity = "$entity"
  }

  init(_ model: any PersistentModel) {
    identifier = model.persistentModelID
    entity = model.persistentModelID.entityName
  }
}

/// One relationship of one object in the coded form of snapshots.
private struct Relation: Encodable {
  private let owner: PersistentIdentifier
  private let reference: FixtureReference
  private let targets: [Reference]

  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(_ owner: any PersistentModel, _ reference: FixtureReference, _ targets: [Reference]) {
    self.owner = owner.persistentModelID
    self.reference = reference
    self.targets = targets
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(owner, forKey: Key(stringValue: "$id"))
    let key = Key(stringValue: reference.property)
    if reference.isToMany {
      try container.encode(targets, forKey: key)
    } else if let target = targets.first {
      try container.encode(target, forKey: key)
    }
  }
}
