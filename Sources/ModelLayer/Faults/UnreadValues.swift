import StoreProtocol

/// Properties that could not be loaded when the program read them, and read as empty.
///
/// What the program then sets there may have been made from that emptiness (`list = sorted(list)`),
/// so that no save stores it: each throws until the change is taken back.
struct UnreadValues {
  private struct Entry {
    // Whoever has changes is kept by them; an entry alone must not keep a context that is let go of.
    weak var model: (any PersistentModel)?
    let index: Int
    let error: any Error
  }

  private var entries: [Entry] = []

  /// Takes note of a property that could not be loaded.
  mutating func note(_ model: any PersistentModel, _ index: Int, _ error: any Error) {
    entries.append(Entry(model: model, index: index, error: error))
  }

  /// Forgets all, with the changes that would have been refused.
  mutating func clear() { entries = [] }

  /// Forgets what the program has not set since, so that it can read it again.
  mutating func forgetUnchanged() {
    if !entries.isEmpty { entries = entries.filter { $0.model?.hasChange(at: $0.index) == true } }
  }

  /// Refuses changes of what could not be loaded before.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` naming the first such property.
  func check() throws {
    guard let first = entries.first, let registration = first.model?.registration else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "the property was set after it could not be loaded and had read as empty; roll back, or refresh "
        + "the object, and change it again",
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
