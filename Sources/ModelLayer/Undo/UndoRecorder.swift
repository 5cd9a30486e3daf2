import Foundation
import StoreProtocol

/// Records the changes of a context for its undo manager.
///
/// The first change within a group makes a record and registers it; later changes are added to it
/// until a group opens or closes, an undo or redo begins or ends, or the context ends an event.
final class UndoRecorder {
  /// The undo manager.
  let manager: UndoManager
  private weak var context: ContextState?
  private var record: UndoRecord?
  private var isRegistering = false
  private var isTurnPlanned = false
  private var observers: [any NSObjectProtocol] = []

  private static let boundaries: [Notification.Name] = [
    .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
    .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
    .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
  ]

  init(_ manager: UndoManager, for context: ContextState) {
    self.manager = manager
    self.context = context
    let reference = RecorderReference(self)
    observers = Self.boundaries.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { _ in
        reference.recorder?.boundaryCame()
      }
    }
  }

  deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }

  /// Ends the record at hand, with what the delete rules do for the deletions in it.
  private func boundaryCame() {
    // A group that opens for the record itself is none.
    guard !isRegistering else { return }
    context?.processPendingChanges()
    record = nil
  }

  /// Ends the group of an event: a save comes, or a turn of the context's isolation.
  func eventEnded() {
    boundaryCame()
    manager.closeEventGroup()
  }

  /// Takes note of a change of a property that is about to happen.
  func willChange(_ model: any PersistentModel, at index: Int) {
    openRecord()?.noteContent(of: model, at: index)
  }

  /// Takes note of an object that is about to come into the context.
  func willInsert(_ model: any PersistentModel) {
    openRecord()?.noteMembership(of: model, wasMember: false)
  }

  /// Takes note of an object that is about to be marked for deletion, with all its values: its row
  /// may be gone by the time that it comes back.
  func willDelete(_ model: any PersistentModel) {
    guard let record = openRecord() else { return }
    record.noteMembership(of: model, wasMember: true)
    for index in 0..<type(of: model)._$count { record.noteContent(of: model, at: index) }
  }

  private func openRecord() -> UndoRecord? {
    guard manager.takesRecords, !isRegistering else { return nil }
    if let record { return record }
    let made = UndoRecord()
    isRegistering = true
    manager.add(made, by: self)
    isRegistering = false
    record = made
    planTurn()
    return made
  }

  private func planTurn() {
    guard !isTurnPlanned, let context else { return }
    isTurnPlanned = context.autosave.home.plan(context) { context in
      context.undo?.isTurnPlanned = false
      context.undo?.eventEnded()
    }
  }

  /// Brings the context to where it was before a record's changes.
  func undo(_ record: UndoRecord) {
    // Even where it changes nothing, so that each undo has its redo.
    _ = openRecord()
    context?.restore(record)
  }

  /// Forgets everything that could be undone.
  func clear() {
    record = nil
    manager.forgetAll()
  }

  /// Records no more, and takes its records out of the undo manager.
  func end() {
    record = nil
    manager.forgetRecords(by: self)
  }
}

/// A recorder on its way to itself by a notification; it is not kept.
private final class RecorderReference: @unchecked Sendable {
  // Unchecked: an undo manager is used, and posts, in the isolation of its contexts.
  private(set) weak var recorder: UndoRecorder?

  init(_ recorder: UndoRecorder) {
    self.recorder = recorder
  }
}
