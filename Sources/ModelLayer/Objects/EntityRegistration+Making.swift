import ModelRuntime
import StoreProtocol

// Making objects from rows.

extension EntityRegistration {
  /// Returns the registration of the objects of a row's entity.
  func registration(of reader: RowReader) throws -> EntityRegistration {
    if entity.name == reader.entity.name { return self }
    guard let found = registration(named: reader.entity.name) else {
      throw DataStoreError(
        .schemaMismatch,
        "the store has an object of a model that the schema lacks",
        entity: reader.entity.name
      )
    }
    return found
  }

  /// Returns a query for the row of a key.
  func query(forRow key: PersistentIdentifier.Key) -> StoreQuery {
    .row(PersistentIdentifier(scope: scope, key: key), of: entity.name)
  }

  /// Returns the registration for a single row, which is mostly of the requested entity.
  @inline(__always)
  func registration(ofSingle reader: RowReader) throws -> EntityRegistration {
    if reader.isIn(rowScope) { return self }
    let found = try registration(of: reader)
    found.rowScope = reader.scope
    return found
  }

  /// Whether an object has the values of its row, by the versions of both.
  ///
  /// A reference to a deleted row reads as `nil` without a new version.
  func isCurrent(
    _ model: any PersistentModel,
    _ reader: RowReader,
    lacking missing: [Int]
  ) -> Bool {
    guard missing.isEmpty, !hasRelationships else { return false }
    // The fields are read one by one: a copy of the state would retain what it refers to.
    let version = model._$state.version
    return version != 0 && version == reader.version && !model._$state.flags.contains(.partial)
  }

  /// Returns a new object of a row, registered under the row's key.
  func makeObject(
    for key: PersistentIdentifier.Key,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    if reader.hasNotes { reader.textReferences = [] }
    let made = try layout.type.init(_$row: reader)
    if case .integer(let number) = key {
      enter(&made._$state, number, reader.version)
    } else {
      enter(&made._$state, .min, reader.version)
      made.modelExtra.identifier = PersistentIdentifier(scope: scope, key: key)
    }
    if !missing.isEmpty { made.noteUnloaded(missing) }
    if reader.hasNotes { made.keepReferences(from: reader) }
    objects.register(made, key: key, in: self)
    return made
  }

  /// Returns a new object of a row, without the values that their types refuse.
  func makeReadableObject(
    for key: PersistentIdentifier.Key,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    let (made, unreadable) = try withReadableValues(of: reader, lacking: missing) {
      try makeObject(for: key, from: $0, lacking: $1)
    }
    made.noteUnreadable(unreadable)
    return made
  }

  /// Makes the state that of an object which was created from a row.
  ///
  /// All fields are set in one call: through the protocol, each access of the state is a call.
  private func enter(_ state: inout _ModelState, _ key: Int64, _ version: Int64) {
    state.registration = self
    state.flags.insert(objects.recordsChanges ? [.tracked, .recorded] : .tracked)
    state.key = key
    state.version = version
  }
}
