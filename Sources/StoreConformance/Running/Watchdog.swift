import Dispatch
import Foundation

/// Runs the check of a rule on its own thread, and abandons it if it makes no progress.
enum Watchdog {
  // A checked expression may nest deeply.
  private static let stackSize = 8 << 20
  private static let rowsOfOnePatience = 10_000

  /// Returns how long a request may take once a check has sent a number of rows.
  ///
  /// A store with a file for each row may need minutes for one batch beside other work on the disk.
  static func limit(_ patience: Duration, rows: Int) -> Duration {
    patience * max(1, rows / rowsOfOnePatience)
  }

  /// Runs a body and returns its error.
  ///
  /// - Parameters:
  ///   - patience: How long no request to a store may begin or end before the body is given up, for
  ///     each 10,000 rows that it has sent. Its thread is left behind then, with its store.
  ///   - trace: The requests of the body.
  ///   - body: The check.
  /// - Returns: The error, or `nil` if the body returned.
  static func run(
    patience: Duration,
    trace: Trace,
    _ body: @escaping @Sendable () throws -> Void
  ) -> (any Error)? {
    let failure = Shared<(any Error)?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      defer { isDone.signal() }
      do {
        try body()
      } catch {
        failure.withLock { $0 = error }
      }
    }
    thread.stackSize = stackSize
    thread.start()
    var steps = -1
    var limit = patience
    while steps != trace.steps {
      steps = trace.steps
      limit = Self.limit(patience, rows: trace.rows)
      if isDone.wait(timeout: .now() + limit.timeInterval) == .success { return failure.value }
    }
    return RuleViolation(
      trace.pending ?? "the check",
      expected: "to return",
      found: "no result after \(limit); its thread is still running",
      isWithoutEnd: true
    )
  }
}

extension Duration {
  fileprivate var timeInterval: DispatchTimeInterval {
    .milliseconds(
      Int(clamping: components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    )
  }
}
