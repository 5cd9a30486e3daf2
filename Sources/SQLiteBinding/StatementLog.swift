import Synchronization

/// Counters of a store's requests to SQLite, by which tests observe the layer below.
///
/// Counts of statements do not vary as times do. So a test can require that a count steps one row,
/// or that a second save prepares nothing.
package final class StatementLog: Sendable {
  /// The counts since the log was created or cleared.
  package struct Counts: Equatable, Sendable {
    package var prepared = 0
    package var stepped = 0
    package var texts: [String] = []
  }

  private let state = Mutex(Counts())
  private let willStep: (@Sendable (Int) -> Void)?

  /// Creates a log.
  ///
  /// - Parameter willStep: Called before each step with its number, from 1; a test may end the
  ///   process there.
  package init(willStep: (@Sendable (Int) -> Void)? = nil) {
    self.willStep = willStep
  }

  /// The counts so far.
  package var counts: Counts {
    state.withLock { $0 }
  }

  /// Resets the counts to zero.
  package func clear() {
    state.withLock { $0 = Counts() }
  }

  func statementPrepared() {
    state.withLock { $0.prepared += 1 }
  }

  func statementBegan(_ sql: String) {
    state.withLock { $0.texts.append(sql) }
  }

  package func statementStepped() {
    let number = state.withLock { counts in
      counts.stepped += 1
      return counts.stepped
    }
    willStep?(number)
  }
}
