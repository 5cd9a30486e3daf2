import Foundation
import StoreProtocol

extension ModelContext {
  /// What undoes and redoes the changes of this context; nil, as it is at first, records nothing.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Alps"
  /// context.delete(trip.accommodation)
  /// try context.save()
  /// context.undoManager?.undo()  // the name and the accommodation are as before
  /// ```
  ///
  /// Recorded are insertions, deletions with what delete rules do, and each change of a property,
  /// relationships with both ends and their order. The changes of one group are undone together.
  /// Groups begin and end as the undo manager says. On systems other than Apple's, where there are
  /// no events that end a group of `groupsByEvent`, that is done by ``processPendingChanges()``,
  /// ``save()``, and the next turn of the isolation of a context to which autosave could come back
  /// (see ``autosaveEnabled``).
  ///
  /// An undo is a change like others: it can be undone, observers see it, and it is pending until
  /// the next save, even where what it undoes was saved. The undo of an insertion is a deletion
  /// without effects on others. The undo of a deletion that was saved inserts the object again,
  /// with a new identifier. Objects that are gone are passed over.
  ///
  /// ``rollback()`` clears the undo manager. So that all can be undone, relationships are loaded
  /// when they change or their object is deleted: set nil while much is imported. On Apple's
  /// systems only changes on the main actor are recorded.
  public var undoManager: UndoManager? {
    get { state.undo?.manager }
    set { state.record(in: newValue) }
  }
}
