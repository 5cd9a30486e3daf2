import Foundation
import StoreProtocol

/// Statements of a program that go with the next save of a store.
///
/// They are run by the thread that brought them, within its call. A task that begins there inherits them
/// and does not touch them.
final class SaveCompanion: @unchecked Sendable {
  // Unchecked: a value local to a task has to be `Sendable`; what changes is looked at by one thread.

  /// The companion of the saves that are made now.
  @TaskLocal private static var current: SaveCompanion?

  private let store: SQLiteStore
  private let thread = Thread.current

  /// The statements, nil when the call is over: whoever inherited the companion may keep it longer.
  private var body: ((SQLiteConnection) throws -> Void)?

  /// Whether a save has taken the statements along, and whether one was to.
  private var isDone = false
  private var isTried = false

  private init(_ store: SQLiteStore, _ body: @escaping (SQLiteConnection) throws -> Void) {
    self.store = store
    self.body = body
  }

  /// Makes saves, the first of which to a store takes statements along.
  ///
  /// - Returns: Whether there was such a save.
  /// - Throws: What the saves throw, and ``DataStoreError/notSaved`` where they hide that they failed.
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
          "the save with which the statements were to go has failed; they are not saved either"
        )
      }
      return companion.isDone
    }
  }

  /// What is to go with a save of a store, nil for most.
  static func waiting(for store: SQLiteStore) -> SaveCompanion? {
    guard let current, current.store === store, current.thread === Thread.current,
      !current.isDone, current.body != nil
    else { return nil }
    current.isTried = true
    return current
  }

  /// Runs the statements in the transaction that is open, as a save of their own behind the other.
  func run(on connection: Connection) throws {
    guard let body else { return }
    try connection.countSave()
    try connection.beginSave()
    // What the statements save themselves, and a save within the save cannot be, is not accompanied.
    try Self.$current.withValue(nil) { try store.run(body, on: connection) }
  }

  /// Notes that the save is stored.
  func finish() { isDone = true }
}
