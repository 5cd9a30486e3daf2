import ModelRuntime
import StoreProtocol

// Objects that were read before others saved. A fetch that notices such a save marks all objects of
// its context. An object shows what a new context would show, since it is read again before the program
// sees its next value, together with those that were fetched with it.

extension PersistentModel {
  /// Reads the object's row again, unless it has unsaved changes.
  func readOutdated() {
    guard _$state.flags.isDisjoint(with: [.inserted, .changed, .deleted]) else { return }
    guard let registration else {
      _$state.flags.remove(.outdated)
      return
    }
    registration.context.loader.readOutdated(self, in: registration)
  }
}

extension RowLoader {
  /// Reads the row of an object again, and those of the objects that were fetched with it.
  ///
  /// The next save throws an error that occurs here.
  fileprivate func readOutdated(
    _ model: any PersistentModel,
    in registration: EntityRegistration
  ) {
    let models = batch(around: model, in: registration).filter {
      $0._$state.flags.contains(.outdated)
        && $0._$state.flags.isDisjoint(with: [.changed, .deleted])
    }
    // Code of the program that the reading runs must not read them once more.
    for model in models { model._$state.flags.remove(.outdated) }
    do {
      let keys = Set(models.map(\.persistentModelID.key))
      let found = try toleratingUnreadable {
        try fetchRows(keys, of: registration, trustsVersions: trustsVersions)
      }
      let present = Set(found.map(ObjectIdentifier.init))
      for gone in models where !present.contains(ObjectIdentifier(gone)) {
        rowIsGone(gone)
        // One that unsaved changes refer to stays until these are saved or rolled back.
        if gone.registration != nil { gone._$state.flags.insert(.outdated) }
      }
    } catch {
      context.problems.append(
        .modelValidationFailure.with(
          "\(model.persistentModelID) could not be read after a save of others, and shows the values "
            + "from before; fetch it again",
          entity: registration.entity.name,
          cause: error
        )
      )
    }
  }
}
