import StoreProtocol

// An object with the flag `recorded` tells of each change, not only of the first of a property.

extension ContextState {
  /// Takes note of a change that is about to happen.
  func willChange(_ model: any PersistentModel, at index: Int) {
    if autosave.hasFailed { changeHappened() }
  }

  /// Sets or clears the flag of all objects that the context knows.
  func markRecorded(_ isRecorded: Bool) {
    for model in allIdentityMaps.flatMap(\.models) + pending.all
    where model._$state.registration != nil {
      if isRecorded {
        model._$state.flags.insert(.recorded)
      } else {
        model._$state.flags.remove(.recorded)
      }
    }
  }
}
