import Foundation
import StoreProtocol

// An object with the flag `recorded` reports each change, not only the first of a property.

extension ContextState: UndoableContext {
  func planEventEnd() -> Bool {
    isolation.plan(self) { $0.undo?.turnCame() }
  }

  func restore(_ record: UndoRecord) { UndoRestoration(in: self).restore(record) }

  /// Notes a change that is about to happen.
  func willChange(_ model: any PersistentModel, at index: Int) {
    if existingAutosave?.hasFailed == true { changeHappened() }
    undo?.willChange(model, at: index, from: model.loadedContent(at: index))
    updater?.noteChange(of: model, at: index)
  }

  /// Notes an object that is about to be inserted, and lets it report its changes, if anything needs
  /// them (``RegisteredObjects/recordsChanges``).
  func willInsert(_ model: any PersistentModel) {
    undo?.willInsert(model)
    updater?.noteMembershipChange(of: model)
    model._$state.flags.insert(.recorded)
  }

  /// Sets the undo manager that records the changes of all objects, or `nil` for none.
  func record(in manager: UndoManager?) {
    guard manager !== undo?.manager else { return }
    undo?.end()
    undo = manager.map { UndoRecorder($0, for: self) }
  }

  /// Sets or clears the flag of all objects of the context, by whether anything needs it now.
  func markRecorded() {
    objects.recordsChanges = undo != nil || updater != nil
    for model in objects.all + pending.all where model._$state.registration != nil {
      if objects.recordsChanges {
        model._$state.flags.insert(.recorded)
      } else {
        model._$state.flags.remove(.recorded)
      }
    }
  }

  /// Clears the deletion mark of an object.
  func undelete(_ model: any PersistentModel) {
    if objects.recordsChanges { willInsert(model) }
    pending.forgetCauses(of: model)
    model._$state.flags.remove(.deleted)
    pending.mayRepeat = true
    changeHappened()
  }
}
