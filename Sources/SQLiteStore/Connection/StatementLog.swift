import Synchronization

/// What a store asked of SQLite, counted: the tests' window on the layer below.
///
/// Counts of statements do not wobble as times do, so a test can say that a count steps one row
/// or that a second save prepares nothing.
final class StatementLog: Sendable {
  /// The counts since the log was made or cleared.
  struct Counts: Equatable, Sendable {
    var prepared = 0
    var stepped = 0
    var texts: [String] = []
  }

  private let state = Mutex(Counts())

  init() {}

  /// What was counted so far.
  var counts: Counts {
    state.withLock { $0 }
  }

  /// Begins to count from zero.
  func clear() {
    state.withLock { $0 = Counts() }
  }

  func statementPrepared() {
    state.withLock { $0.prepared += 1 }
  }

  func statementBegan(_ sql: String) {
    state.withLock { $0.texts.append(sql) }
  }

  func statementStepped() {
    state.withLock { $0.stepped += 1 }
  }
}
