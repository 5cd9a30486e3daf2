import StoreProtocol

/// Properties that could not be loaded when the program read them, and read as empty.
///
/// The values that the program then sets may have been derived from the empty value (`list =
/// sorted(list)`). No save therefore stores them: each throws until the change is reverted.
struct UnreadValues {
  private struct Entry {
    // Objects with changes are kept by their changes; an entry alone must not keep a context that
    // was released.
    weak var model: (any PersistentModel)?
    let index: Int
    let error: any Error
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Notes a property that could not be loaded.
  mutating func note(_ model: any PersistentModel, _ index: Int, _ error: any Error) {
    entries.append(Entry(model: model, index: index, error: error))
  }

  /// Removes all entries, with the changes that would have been refused.
  mutating func clear() { entries = [] }

  /// Removes the entries that the program has not set since, so that it can read them again.
  mutating func forgetUnchanged() {
    entries = entries.filter { $0.model?.hasChange(at: $0.index) == true }
  }

  /// Refuses changes of properties that could not be loaded before.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` with the first such property.
  func check() throws {
    guard let first = entries.first, let registration = first.model?.registration else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "the property was set after its value could not be loaded and was returned as empty; roll "
        + "back or refresh the object, then change it again",
      entity: registration.entity.name,
      property: registration.entity.properties[first.index].name,
      cause: first.error
    )
  }
}

extension PersistentModel {
  /// Whether a property of a stored object has an unsaved change.
  fileprivate func hasChange(at index: Int) -> Bool {
    _$state.registration != nil && !_$state.flags.contains(.deleted)
      && _$state.dirty & _ModelState.bit(index) != 0 && dirtyIndices.contains(index)
  }
}
