import Foundation
import StoreProtocol

// An object with the flag `recorded` tells of each change, not only of the first of a property.

extension ContextState {
  /// Takes note of a change that is about to happen.
  func willChange(_ model: any PersistentModel, at index: Int) {
    if autosave.hasFailed { changeHappened() }
    undo?.willChange(model, at: index)
    keeper?.noteChange(of: model, at: index)
  }

  /// Takes note of an object that is about to come in, and has it tell of its changes.
  func willInsert(_ model: any PersistentModel) {
    undo?.willInsert(model)
    keeper?.noteComing(of: model)
    if recordsChanges { model._$state.flags.insert(.recorded) }
  }

  /// Has the changes of all objects recorded by an undo manager, or by none.
  func record(in manager: UndoManager?) {
    guard manager !== undo?.manager else { return }
    undo?.end()
    undo = manager.map { UndoRecorder($0, for: self) }
    markRecorded(recordsChanges)
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

  /// Takes back the mark of an object that waits to be removed.
  func undelete(_ model: any PersistentModel) {
    willInsert(model)
    model._$state.flags.remove(.deleted)
    pending.mayRepeat = true
    changeHappened()
  }
}
