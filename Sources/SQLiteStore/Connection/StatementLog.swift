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
  private let willStep: (@Sendable (Int) -> Void)?

  /// Creates a log.
  ///
  /// - Parameter willStep: Called before each step with its number, from 1: the place where a test
  ///   ends the process.
  init(willStep: (@Sendable (Int) -> Void)? = nil) {
    self.willStep = willStep
  }

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
    let number = state.withLock { counts in
      counts.stepped += 1
      return counts.stepped
    }
    willStep?(number)
  }
}
