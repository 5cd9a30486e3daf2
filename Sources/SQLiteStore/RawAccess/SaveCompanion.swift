import Foundation
import StoreProtocol

/// A program's statements that are part of the next save of a store.
///
/// The thread that supplied them runs them, within its call. A task that begins there inherits them
/// and does not use them.
// Unchecked: a task-local value has to be `Sendable`; only one thread reads the mutable state.
final class SaveCompanion: @unchecked Sendable {
  /// The companion of the saves of a call, or `nil` for almost all saves.
  @TaskLocal static var current: SaveCompanion?

  private let store: SQLiteStore
  private let thread = Thread.current

  /// The statements, or `nil` after the call; a task that inherited the companion may keep it
  /// longer.
  private var body: ((SQLiteConnection) throws -> Void)?

  /// Whether a save has included the statements, and whether one was to.
  private var isDone = false
  private var isTried = false

  private init(_ store: SQLiteStore, _ body: @escaping (SQLiteConnection) throws -> Void) {
    self.store = store
    self.body = body
  }

  /// Runs saves, the first of which to a store includes the statements.
  ///
  /// - Returns: Whether there was such a save.
  /// - Throws: The errors of the saves, and ``DataStoreError/notSaved`` if they hide that they
  ///   failed.
  static func accompany(
    _ saves: () throws -> Void,
    to store: SQLiteStore,
    with body: (SQLiteConnection) throws -> Void
  ) throws -> Bool {
    try withoutActuallyEscaping(body) { body in
      let companion = SaveCompanion(store, body)
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
  func joins(saveOf store: SQLiteStore) -> Bool {
    guard self.store === store, thread === Thread.current, !isDone, body != nil else {
      return false
    }
    isTried = true
    return true
  }

  /// Runs the statements in the open transaction, as a save of their own after the other.
  func run(on connection: Connection) throws {
    guard let body else { return }
    try connection.countSave()
    try connection.beginSave()
    // The statements may save to other stores, and those saves have no companion.
    try Self.$current.withValue(nil) { try store.run(body, on: connection) }
  }

  /// Records that the save is stored.
  func finish() { isDone = true }
}
