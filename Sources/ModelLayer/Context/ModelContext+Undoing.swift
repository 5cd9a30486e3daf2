import Foundation

extension ModelContext {
  /// The undo manager that records the changes of this context; `nil`, the default, records
  /// nothing.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Alps"
  /// context.delete(trip.accommodation)
  /// try context.save()
  /// context.undoManager?.undo()  // the name and the accommodation are as before
  /// ```
  ///
  /// It records insertions, deletions with the effects of delete rules, and each change of a
  /// property. For relationships it records both ends and their order. The changes of one group are
  /// undone together. The undo manager determines where groups begin and end. Only Apple's systems
  /// have events that end a group of `groupsByEvent`. On others, ``processPendingChanges()`` and
  /// ``save()`` end it, and the next turn of the isolation of a context that autosave can re-enter
  /// (see ``autosaveEnabled``).
  ///
  /// An undo is a change like others: it can be undone, observers are notified, and it is pending
  /// until the next save, even if the undone change was saved. The undo of an insertion is a
  /// deletion without effects on others. If the new object became an update of another one at a
  /// save, that gets its former values and relationships. The undo of a saved deletion inserts the
  /// object again, with a new identifier. Objects that no longer exist are skipped.
  ///
  /// ``rollback()`` clears the undo manager. To make everything undoable, relationships are loaded
  /// when they change or their object is deleted, and rows that new objects will update are read
  /// before a save: set `nil` during a large import. On Apple's
  /// systems only changes on the main actor are recorded.
  public var undoManager: UndoManager? {
    get { state.undo?.manager }
    set { state.record(in: newValue) }
  }
}
