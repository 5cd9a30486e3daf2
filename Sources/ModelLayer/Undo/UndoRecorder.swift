import Foundation
import StoreProtocol

/// A context whose changes an undo manager records.
protocol UndoableContext: AnyObject {
  /// Applies the delete rules for the deletions so far.
  func processPendingChanges()
  /// Plans the end of the recorder's event for the next turn of the context's isolation.
  ///
  /// - Returns: Whether it could be planned.
  func planEventEnd() -> Bool
  /// Restores the state before a record's changes.
  func restore(_ record: UndoRecord)
}

/// Records the changes of a context for its undo manager.
///
/// The first change within a group creates a record and registers it. Later changes are added to it
/// until a group opens or closes, an undo or redo begins or ends, or the context ends an event.
final class UndoRecorder {
  let manager: UndoManager
  private weak var context: (any UndoableContext)?
  private var record: UndoRecord?
  /// The records since the last save, as far as the undo manager has them.
  private var unsaved: [WeakRecord] = []
  private var isRegistering = false
  private var isTurnPlanned = false
  private var observers: [any NSObjectProtocol] = []

  private static let boundaries: [Notification.Name] = [
    .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
    .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
    .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
  ]

  init(_ manager: UndoManager, for context: any UndoableContext) {
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

  /// Ends the current record, after applying the delete rules for the deletions in it.
  private func boundaryCame() {
    // A group that opens for the record itself does not count.
    guard !isRegistering else { return }
    context?.processPendingChanges()
    record = nil
  }

  /// Ends the group of an event: at a save, or at a turn of the context's isolation.
  func eventEnded() {
    boundaryCame()
    manager.closeEventGroup()
  }

  /// Notes a change of a property that is about to happen.
  func willChange(
    _ model: any PersistentModel,
    at index: Int,
    from content: @autoclosure () -> PropertyContent
  ) {
    openRecord()?.noteContent(of: model, at: index, content())
  }

  /// Notes an object that is about to be inserted into the context.
  func willInsert(_ model: any PersistentModel) {
    openRecord()?.noteMembership(of: model, wasMember: false)
  }

  /// Notes an object that is about to be marked for deletion, with all its values.
  ///
  /// Its row may no longer exist when the object is restored.
  func willDelete(_ model: any PersistentModel, contents: (Int) -> PropertyContent) {
    guard let record = openRecord() else { return }
    record.noteMembership(of: model, wasMember: true)
    for index in 0..<type(of: model)._$count {
      record.noteContent(of: model, at: index, contents(index))
    }
  }

  /// Notes that a save merged a new object into another one.
  ///
  /// Undoing the insertion then restores contents from before, or earlier ones if later groups
  /// changed them.
  func note(
    merge new: any PersistentModel,
    into model: any PersistentModel,
    _ contents: [Int: PropertyContent],
    of former: any PersistentModel
  ) {
    let records = unsaved.compactMap(\.record)
    guard let position = records.lastIndex(where: { $0.inserts(new) }) else { return }
    records[position].forgetInsertion(of: new)
    let later = records[(position + 1)...]
    for (index, content) in contents.sorted(by: { $0.key < $1.key }) {
      let earliest = later.lazy.compactMap { $0.content(of: former, at: index) }.first
      records[position].noteContent(of: model, at: index, earliest ?? content)
    }
  }

  /// Notes that all changes so far are saved.
  func saved() { unsaved = [] }

  private func openRecord() -> UndoRecord? {
    guard manager.acceptsRecords, !isRegistering else { return nil }
    if let record { return record }
    let made = UndoRecord()
    isRegistering = true
    manager.add(made, by: self)
    isRegistering = false
    record = made
    unsaved.append(WeakRecord(record: made))
    planTurn()
    return made
  }

  private func planTurn() {
    if !isTurnPlanned, let context { isTurnPlanned = context.planEventEnd() }
  }

  /// Ends the group of an event at the turn that was planned for it.
  func turnCame() {
    isTurnPlanned = false
    eventEnded()
  }

  /// Restores the state of the context before a record's changes.
  func undo(_ record: UndoRecord) {
    // Even if it changes nothing, so that each undo has its redo.
    _ = openRecord()
    context?.restore(record)
  }

  /// Removes everything that could be undone.
  func clear() {
    record = nil
    unsaved = []
    manager.forgetAll()
  }

  /// Stops recording, and removes its records from the undo manager.
  func end() {
    record = nil
    manager.forgetRecords(by: self)
  }
}

/// A record that the undo manager may have dropped.
private struct WeakRecord {
  weak var record: UndoRecord?
}

/// A weak reference by which a notification reaches its recorder.
// Unchecked: an undo manager is used, and posts, in the isolation of its contexts.
private final class RecorderReference: @unchecked Sendable {
  private(set) weak var recorder: UndoRecorder?

  init(_ recorder: UndoRecorder) {
    self.recorder = recorder
  }
}
