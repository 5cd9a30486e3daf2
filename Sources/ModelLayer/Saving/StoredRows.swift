import ModelRuntime
import StoreProtocol

/// Some rows as currently stored, in the form in which objects have their values.
struct StoredRows {
  struct Row {
    let version: Int64
    /// The values by property, or `nil` for those that were not read.
    var values: [StoreValue?]
  }

  private var rows: [PersistentIdentifier: Row] = [:]

  /// Reads the rows of saved objects, in one query per entity and one per relationship that needs
  /// it.
  init(of models: [any PersistentModel]) throws {
    let groups = Dictionary(grouping: models) { $0.registration }
    for case (let registration?, let models) in groups { try read(models, registration) }
  }

  /// The row of an object, or `nil` if it no longer exists.
  subscript(identifier: PersistentIdentifier) -> Row? { rows[identifier] }

  private mutating func read(
    _ models: [any PersistentModel],
    _ registration: EntityRegistration
  ) throws {
    let identifiers = models.map(\.persistentModelID)
    var query = StoreQuery.rows(identifiers, of: registration.entity.name)
    // The properties are named, so that values that are kept outside of rows are compared as well.
    query.properties = registration.entity.properties.map(\.name)
    var deferral = Deferral(query.properties.map(Set.init), of: registration)
    try registration.store.readRows(of: query) { reader in
      let row = deferral?.look(at: reader).reader ?? reader
      rows[reader.identifier] = try Self.row(row, registration)
    }
    for (index, property) in registration.entity.properties.enumerated()
    where property.isToMany && !property.isDerivedToMany {
      // A list that was neither read nor changed need not be compared.
      let owners = models.filter { $0.baseValue(of: index) != nil }.map(\.persistentModelID)
      if owners.isEmpty { continue }
      let members = try registration.store.members(
        of: property.name,
        in: registration.entity.name,
        owners: owners
      )
      for (owner, list) in members { rows[owner]?.values[index] = .identifiers(list) }
    }
  }

  /// Returns the values of a row as an object would write them, the form in which they are
  /// comparable.
  private static func row(_ reader: RowReader, _ registration: EntityRegistration) throws -> Row {
    let object = try registration.layout.type.init(_$row: reader)
    let values = try registration.entity.properties.enumerated().map { index, property in
      if property.isToMany || reader.isDeferred(at: index) { return nil as StoreValue? }
      if property.isToOne { return try reader.value(at: index) }
      guard case .value(let value) = PropertyReader.content(of: index, in: object) else {
        return nil
      }
      return value
    }
    return Row(version: reader.version, values: values)
  }
}

extension PersistentModel {
  /// Returns the stored form of a property before its first unsaved change, or `nil` if it was not
  /// loaded or has none.
  func baseValue(of index: Int) -> StoreValue? {
    guard let registration, !isUnloaded(index) else { return nil }
    let content = original(of: index) ?? PropertyReader.content(of: index, in: self)
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
    case .reference(let identifier): return .identifier(identifier)
    case .fault(let key):
      guard let destination = property.relationship?.destination else { return nil }
      return .identifier(
        PersistentIdentifier(.integer(key), of: destination, in: registration.store.identifier)
      )
    }
  }
}

extension StoreValue {
  /// Whether both are the same in a store.
  ///
  /// Objects are compared by their keys, since a reference that was not followed names the entity
  /// at its end and not the object's own.
  func isSame(as other: StoreValue) -> Bool {
    switch (self, other) {
    case (.identifier(let first), .identifier(let second)): first.key == second.key
    case (.identifiers(let first), .identifiers(let second)): first.map(\.key) == second.map(\.key)
    default: self == other
    }
  }
}
