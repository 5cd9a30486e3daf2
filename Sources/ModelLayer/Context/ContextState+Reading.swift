import StoreProtocol

extension ContextState {
  /// Reads rows into objects: known ones are refreshed, new ones made and registered.
  func read(
    _ query: StoreQuery,
    as request: (any FetchRequest)? = nil,
    from registration: EntityRegistration,
    _ body: (any PersistentModel) throws -> Void
  ) throws {
    try carryOutBulkChanges()
    var current: EntityRegistration = registration
    var deferral = Deferral(query, of: registration)
    try registration.backend.read(query, as: request) { identifier, reader in
      if current.entity.name != reader.entity.name {
        guard let found = self.registration(named: reader.entity.name) else {
          throw DataStoreError(
            .schemaMismatch,
            "the store has an object of a model that the schema lacks",
            entity: reader.entity.name
          )
        }
        current = found
        deferral.enter(found)
      }
      let row = deferral.look(at: reader)
      try body(try model(for: identifier, from: row.reader, lacking: row.missing, in: current))
    }
    evictIfCrowded()
  }

  /// The object of a row.
  private func model(
    for identifier: PersistentIdentifier,
    from reader: RowReader,
    lacking missing: [Int],
    in registration: EntityRegistration
  ) throws -> any PersistentModel {
    if let known = registration.identityMap.model(for: identifier.key) {
      try refresh(known, from: reader, lacking: missing)
      return known
    }
    reader.textReferences.removeAll(keepingCapacity: true)
    let made = try registration.layout.type.init(_$row: reader)
    made._$state.version = reader.version
    adopt(made, identifier: identifier, in: registration)
    made.noteUnloaded(missing)
    for (index, reference) in reader.textReferences {
      made.modelExtra.references[index] = reference
    }
    return made
  }

  private func adopt(
    _ model: any PersistentModel,
    identifier: PersistentIdentifier,
    in registration: EntityRegistration
  ) {
    model._$state.registration = registration
    model._$state.flags.insert(undo == nil ? .tracked : [.tracked, .recorded])
    if case .integer(let key) = identifier.key {
      model._$state.key = key
    } else {
      model._$state.key = .min
      model.modelExtra.identifier = identifier
    }
    register(model, key: identifier.key, in: registration)
  }

  /// Brings an object without unsaved changes to what its row says now.
  ///
  /// Relationships to many that were loaded stay; see `absorbSavesOfOthers()`.
  private func refresh(
    _ model: any PersistentModel,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws {
    guard model._$state.flags.isDisjoint(with: [.changed, .deleted]) else { return }
    forgetDeferred(of: model, unless: reader, lacking: missing)
    if model._$state.flags.contains(.observed) {
      try refreshObserved(model, from: reader, lacking: missing)
    } else {
      for index in 0..<type(of: model)._$count {
        if missing.contains(index) || isCurrent(index, of: model, reader) { continue }
        try model._$read(index, from: reader)
      }
    }
    model._$state.version = reader.version
    guard model._$state.flags.contains(.partial) else { return }
    for index in model.unloadedIndices where !missing.contains(index) { model.noteLoaded(index) }
  }

  /// Forgets the values that a row lacks this time, but for a row that did not change since they
  /// were loaded.
  private func forgetDeferred(
    of model: any PersistentModel,
    unless reader: RowReader,
    lacking missing: [Int]
  ) {
    let isSame = reader.version != 0 && reader.version == model._$state.version
    guard !missing.isEmpty, !isSame else { return }
    for index in missing where !model.isUnloaded(index) {
      model.unload(index)
    }
  }

  /// Whether a relationship is loaded and says what the row says, or no row says it.
  func isCurrent(
    _ index: Int,
    of model: any PersistentModel,
    _ reader: RowReader
  ) -> Bool {
    guard let registration = model.registration, registration.isRelationship[index] else {
      // No row says anything of a value that no store keeps.
      return model.registration?.ephemerals.contains(index) == true
    }
    guard case .models(let models) = ContentWriter.content(of: index, in: model) else {
      return false
    }
    if registration.entity.properties[index].isToMany {
      // A list that the row keeps can be another when the row is.
      return registration.entity.properties[index].isDerivedToMany
        || reader.version == model._$state.version
    }
    return (try? reader.reference(at: index)) == models.first?.persistentModelID.key
  }

  private func refreshObserved(
    _ model: any PersistentModel,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws {
    for index in 0..<type(of: model)._$count {
      if missing.contains(index) || isCurrent(index, of: model, reader) { continue }
      if model.isUnloaded(index) {
        try model._$read(index, from: reader)
        continue
      }
      if model.registration?.isRelationship[index] == false,
        case .value(let known) = ContentWriter.content(of: index, in: model),
        known == (try? reader.value(at: index))
      {
        continue
      }
      try model.notifyingObservers(of: index) { try model._$read(index, from: reader) }
    }
  }
}
