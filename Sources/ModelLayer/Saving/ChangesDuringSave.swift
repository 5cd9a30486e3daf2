import StoreProtocol

/// The changes that code of the program makes while a save reads the values of its objects.
///
/// Encoding a value runs code of the program. What that changes is not part of the save, which has
/// read some of the values already, and is still pending when the save has ended.
final class ChangesDuringSave {
  /// The changes, which the context's pending changes also contain.
  var pending = PendingChanges()
  /// The changed objects, whose values may differ from those that are saved.
  private(set) var edited: [ObjectIdentifier: any PersistentModel] = [:]
  private var inserted: Set<ObjectIdentifier> = []
  /// The changed objects that report each change during the save.
  private var marked: [any PersistentModel] = []

  /// Lets changed objects report each change, which otherwise would not report a second one.
  func mark(_ changed: [any PersistentModel]) {
    marked = changed.filter { !$0._$state.flags.contains(.recorded) }
    for model in marked { model._$state.flags.insert(.recorded) }
  }

  /// Whether an object was inserted since the save began, so that no saved row can refer to it.
  func hasInserted(_ model: any PersistentModel) -> Bool {
    !inserted.isEmpty && inserted.contains(ObjectIdentifier(model))
  }

  /// Notes an inserted object.
  func noteInsertion(of model: any PersistentModel) { inserted.insert(ObjectIdentifier(model)) }

  /// Notes an object whose values change.
  func note(_ model: any PersistentModel) { edited[ObjectIdentifier(model)] = model }

  /// Ends what ``mark(_:)`` began.
  func unmark() {
    for model in marked { model._$state.flags.remove(.recorded) }
  }
}
