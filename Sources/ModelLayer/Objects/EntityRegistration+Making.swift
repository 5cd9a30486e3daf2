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

  /// Returns a new object of a row whose key is an integer.
  func makeObject(
    for number: Int64,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    let made = try read(from: reader, lacking: missing) {
      $0.enter(self, key: number, version: $1, isRecorded: objects.recordsChanges)
    }
    objects.register(made, number: number, in: self)
    return made
  }

  /// Returns a new object of a row with another kind of key.
  func makeObject(
    for identifier: PersistentIdentifier,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    let made = try read(from: reader, lacking: missing) {
      $0.enter(self, key: .min, version: $1, isRecorded: objects.recordsChanges)
    }
    made.modelExtra.identifier = identifier
    objects.register(made, key: identifier.key, in: self)
    return made
  }

  /// Returns an object with the values of a row, which is not in the identity map yet.
  @inline(__always)
  private func read(
    from reader: RowReader,
    lacking missing: [Int],
    _ enter: (inout _ModelState, _ version: Int64) -> Void
  ) throws -> any PersistentModel {
    if reader.hasNotes { reader.textReferences = [] }
    let made = try layout.type.init(_$row: reader)
    enter(&made._$state, reader.version)
    if !missing.isEmpty { made.noteUnloaded(missing) }
    if reader.hasNotes {
      for (index, reference) in reader.textReferences {
        made.modelExtra.references[index] = reference
      }
    }
    return made
  }
}

extension _ModelState {
  /// Makes the state that of an object which was created from a row.
  ///
  /// All fields are set in one call: through the protocol, each access of the state is a call.
  fileprivate mutating func enter(
    _ registration: EntityRegistration,
    key: Int64,
    version: Int64,
    isRecorded: Bool
  ) {
    self.registration = registration
    flags.insert(isRecorded ? [.tracked, .recorded] : .tracked)
    self.key = key
    self.version = version
  }
}
