import StoreProtocol

@testable import ModelLayer

@Model
class Letter {
  var title: String
  var pages = 1

  init(_ title: String) {
    self.title = title
  }
}

@Model
final class Parcel: Letter {
  var weight = 0.0

  override init(_ title: String) {
    super.init(title)
  }
}

/// Registered objects without a context, for tests of a context's parts.
struct PartsFixture {
  let container: ModelContainer
  let objects = RegisteredObjects()
  let letters: EntityRegistration

  init() throws {
    container = try ModelContainer(
      for: Letter.self,
      Parcel.self,
      configurations: MemoryFixture.configuration()
    )
    let facts = container.core.facts(of: Letter.self)
    let letters = EntityRegistration(try facts.orThrow(), in: objects)
    objects.hold()
    self.letters = try objects.registration(for: Letter.self) { letters }.orThrow()
  }

  /// Registers the entity of parcels too.
  func addParcels() throws {
    let facts = try container.core.facts(of: Parcel.self).orThrow()
    _ = objects.registration(for: Parcel.self) { EntityRegistration(facts, in: objects) }
  }

  /// Returns a reader of the row of a letter or a parcel.
  func row(
    _ key: PersistentIdentifier.Key,
    _ title: String,
    of entity: String = "Letter",
    version: Int64 = 1
  ) throws -> RowReader {
    let schema = container.core.schema.storeSchema
    let described = try schema.entity(named: entity).orThrow()
    let scope = PersistentIdentifier.Scope(storeIdentifier: "here", entityName: entity)
    var record = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(scope: scope, key: key),
      entity: described,
      values: described.properties.map { property in
        switch property.name {
        case "title": .string(title)
        case "pages": .integer(1)
        default: .double(0)
        }
      }
    )
    record.version = version
    let reader = SnapshotReader(schema: schema)
    try reader.move(to: record)
    return reader
  }

  /// Returns the object of a new row with an integer key.
  func letter(_ key: Int64, _ title: String = "") throws -> Letter {
    let made = try letters.makeObject(
      for: .integer(key),
      from: row(.integer(key), title),
      lacking: []
    )
    return try (made as? Letter).orThrow()
  }
}

extension Optional {
  /// Returns the value, or throws if there is none.
  func orThrow() throws -> Wrapped {
    guard let self else { throw Missing() }
    return self
  }
}

private struct Missing: Error {}
