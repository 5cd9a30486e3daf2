import StoreProtocol

/// Some rows as their store has them now, in the form in which objects have their values.
struct StoredRows {
  /// One row.
  struct Row {
    /// The version of the row.
    let version: Int64
    /// The values by property, nil for those that were not looked at.
    var values: [StoreValue?]
  }

  private var rows: [PersistentIdentifier: Row] = [:]

  /// Reads the rows of saved objects, in one query an entity and one a relationship that needs it.
  init(of models: [any PersistentModel]) throws {
    let groups = Dictionary(grouping: models) { $0.registration }
    for case (let registration?, let models) in groups { try read(models, registration) }
  }

  /// The row of an object, nil where it is gone.
  subscript(identifier: PersistentIdentifier) -> Row? { rows[identifier] }

  private mutating func read(
    _ models: [any PersistentModel],
    _ registration: EntityRegistration
  ) throws {
    let identifiers = models.map(\.persistentModelID)
    var query = StoreQuery.rows(identifiers, of: registration.entity.name)
    // Named, so that values which are kept outside of rows are compared as well.
    query.properties = registration.entity.properties.map(\.name)
    var deferral = Deferral(query.properties, of: registration)
    try registration.backend.read(query) { reader in
      rows[reader.identifier] = try Self.row(deferral.look(at: reader).reader, registration)
    }
    for (index, property) in registration.entity.properties.enumerated()
    where property.isToMany && !property.isDerivedToMany {
      // Who has neither read nor changed a list has nothing to compare.
      let owners = models.filter { $0.baseValue(of: index) != nil }.map(\.persistentModelID)
      if owners.isEmpty { continue }
      let members = try registration.backend.members(
        of: property.name,
        in: registration.entity.name,
        owners: owners
      )
      for (owner, list) in members { rows[owner]?.values[index] = .identifiers(list) }
    }
  }

  /// The values of a row as an object would write them, which is how they compare with another's.
  private static func row(_ reader: RowReader, _ registration: EntityRegistration) throws -> Row {
    let object = try registration.layout.type.init(_$row: reader)
    let values = try registration.entity.properties.enumerated().map { index, property in
      if property.isEphemeral || property.isToMany || reader.isDeferred(at: index) {
        return nil as StoreValue?
      }
      if property.isToOne { return try reader.value(at: index) }
      guard case .value(let value) = ContentWriter.content(of: index, in: object) else {
        return nil
      }
      return value
    }
    return Row(version: reader.version, values: values)
  }
}

extension PersistentModel {
  /// The stored form of what a property was before its first unsaved change, nil where it was not
  /// loaded or has none.
  func baseValue(of index: Int) -> StoreValue? {
    guard let registration, !isUnloaded(index) else { return nil }
    let original = existingExtra?.originals.first { $0.index == index }
    let content = original?.content ?? ContentWriter.content(of: index, in: self)
    let property = registration.entity.properties[index]
    switch content {
    case .value(let value): return value
    case .failure: return nil
    case .models(let models) where property.isToMany:
      return .identifiers(models.map(\.persistentModelID))
    case .models(let models):
      return models.first.map { .identifier($0.persistentModelID) } ?? .null
    case .fault where property.isToMany: return nil
    case .fault(0): return .null
    case .fault(.min): return existingExtra?.references[index].map(StoreValue.identifier)
    case .fault(let key):
      guard let destination = property.relationship?.destination else { return nil }
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: registration.backend.identifier,
        entityName: destination
      )
      return .identifier(PersistentIdentifier(scope: scope, key: .integer(key)))
    }
  }
}

extension StoreValue {
  /// Whether both are the same in a store: objects by their keys, since a reference that was not
  /// followed names the entity at its end and not the object's own.
  func isSame(as other: StoreValue) -> Bool {
    switch (self, other) {
    case (.identifier(let first), .identifier(let second)): first.key == second.key
    case (.identifiers(let first), .identifiers(let second)): first.map(\.key) == second.map(\.key)
    default: self == other
    }
  }
}
