import ModelRuntime
import StoreProtocol

// Objects some attributes of which were left out when their rows were read: because the fetch did
// not request them, or because the store keeps them outside of the row. They are loaded when they
// are accessed.

extension PersistentModel {
  /// Loads an attribute that was left out, together with those of the objects that were fetched
  /// with it.
  func loadDeferred(_ index: Int) {
    guard isUnloaded(index), let registration else { return }
    registration.context.loader.load(index, of: self, in: registration)
  }
}

extension RowLoader {
  /// Loads an attribute of an object; the next save throws an error that occurs here.
  fileprivate func load(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) {
    do {
      try faults.touching(registration.entity, index) {
        try loadValues(index, of: model, in: registration)
      }
    } catch {
      model.putPlaceholder(index)
      unread.note(model, index, error)
      context.problems.append(
        .modelValidationFailure.with(
          "the value of \(model.persistentModelID) could not be loaded, and a placeholder was "
            + "returned; set the property without reading it, or roll back",
          entity: registration.entity.name,
          property: registration.entity.properties[index].name,
          cause: error
        )
      )
    }
  }

  private func loadValues(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    // Values that are kept outside of rows are large: each is loaded alone.
    let isAlone = registration.facts.externals.contains(index)
    let wanted =
      isAlone
      ? [index] : model.unloadedIndices.filter { !registration.facts.externals.contains($0) }
    let models =
      isAlone ? [model] : batch(around: model, in: registration).filter { $0.isUnloaded(index) }
    var left = Dictionary(firstOf: models.map { ($0.persistentModelID.key, $0) })
    var query = StoreQuery.rows(
      models.map(\.persistentModelID).sorted(),
      of: registration.entity.name
    )
    query.properties = wanted.map { registration.entity.properties[$0].name }
    var failure: (any Error)?
    faults.queryHappens()
    try registration.store.readRows(of: query) { reader in
      guard let found = left.removeValue(forKey: reader.key) else { return }
      for other in wanted {
        do {
          try Self.put(other, from: reader, into: found)
        } catch {
          // The others report their errors when they are read.
          if found === model, other == index { failure = error }
        }
      }
    }
    for gone in left.values { rowIsGone(gone) }
    if let failure { throw failure }
    if model.isUnloaded(index) { throw UnloadedValue() }
  }

  private static func put(
    _ index: Int,
    from reader: RowReader,
    into model: any PersistentModel
  ) throws {
    guard model.isUnloaded(index), !reader.isDeferred(at: index) else { return }
    try model._$read(index, from: reader)
    model.noteLoaded(index)
  }

  /// Keeps the loaded values of an object, with placeholders for the rest, since its row no longer
  /// exists.
  ///
  /// An object with unsaved changes stays in the context, where the next save reports the error. So does
  /// one to whose relationships unsaved changes of others belong, so that each read gives the same.
  func rowIsGone(_ model: any PersistentModel) {
    model.usePlaceholders()
    if !model.isNeededByContext, !isTouched(model) { context.vanish(model) }
  }

  private func isTouched(_ model: any PersistentModel) -> Bool {
    let relationships = model.registration?.relationshipIndices ?? []
    return relationships.contains { context.pending.touched.contains(model, $0) }
      && context.hasChanges
  }
}

extension RowLoader {
  /// Returns the properties to request for some wanted ones.
  ///
  /// It adds properties without a possible placeholder: without them, an object could not be
  /// created.
  func loadable(_ wanted: [String], of registration: EntityRegistration) -> [String] {
    let family = context.core.schema.storeSchema.family(of: registration.entity.name)
    let needed = family.compactMap { context.registration(named: $0.name) }.flatMap(\.indispensable)
    return Set(wanted + needed).sorted()
  }
}
