import Foundation
import StoreProtocol

/// A program's statements that are part of the next save of a store.
///
/// The thread that supplied them runs them, within its call. A task that begins there inherits them
/// and does not use them.
// Unchecked: a task-local value has to be `Sendable`; only one thread reads the mutable state.
package final class SaveCompanion: @unchecked Sendable {
  /// The companion of the saves of a call, or `nil` for almost all saves.
  @TaskLocal package static var current: SaveCompanion?

  private let store: AnyObject
  private let thread = Thread.current

  /// The statements, or `nil` after the call; a task that inherited the companion may keep it
  /// longer.
  private var body: ((AnyObject) throws -> Void)?

  /// Whether a save has included the statements, and whether one was to.
  private var isDone = false
  private var isTried = false

  private init(_ store: AnyObject, _ body: @escaping (AnyObject) throws -> Void) {
    self.store = store
    self.body = body
  }

  /// Runs saves, the first of which to a store includes the statements.
  ///
  /// - Parameters:
  ///   - saves: The saves.
  ///   - store: The store.
  ///   - body: The statements on a connection of the store.
  /// - Returns: Whether there was such a save.
  /// - Throws: The errors of the saves, and ``DataStoreError/notSaved`` if they hide that they
  ///   failed.
  package static func accompany<Connection: AnyObject>(
    _ saves: () throws -> Void,
    to store: AnyObject,
    with body: (Connection) throws -> Void
  ) throws -> Bool {
    try withoutActuallyEscaping(body) { body in
      let companion = SaveCompanion(store) { connection in
        // The store provides its own kind of connection.
        if let connection = connection as? Connection { try body(connection) }
      }
      defer { companion.body = nil }
      try $current.withValue(companion) { try saves() }
      guard companion.isDone || !companion.isTried else {
        throw DataStoreError(
          .notSaved,
          "the save that includes the statements failed; they were not saved"
        )
      }
      return companion.isDone
    }
  }

  /// Returns whether the next save of a store, on this thread, includes the statements.
  package func joins(saveOf store: AnyObject) -> Bool {
    guard self.store === store, thread === Thread.current, !isDone, body != nil else {
      return false
    }
    isTried = true
    return true
  }

  /// Runs the statements in the open transaction, as a save of their own after the other.
  ///
  /// - Parameter save: A function that makes a save of what its argument does with a connection.
  /// - Throws: The errors of the function and of the statements.
  package func run<Connection: AnyObject>(
    _ save: ((Connection) throws -> Void) throws -> Void
  ) throws {
    guard let body else { return }
    // The statements may save to other stores, and those saves have no companion.
    try Self.$current.withValue(nil) { try save { try body($0) } }
  }

  /// Records that the save is stored.
  package func finish() { isDone = true }
}
