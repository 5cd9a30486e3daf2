import Dispatch
import Foundation

/// Runs the check of a rule on its own thread, and abandons it if it makes no progress.
enum Watchdog {
  // A checked expression may nest deeply.
  private static let stackSize = 8 << 20

  /// Runs a body and returns its error.
  ///
  /// - Parameters:
  ///   - patience: The maximum time without the begin or end of a request. The watchdog then
  ///     abandons the thread with its store.
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
    while steps != trace.steps {
      steps = trace.steps
      if isDone.wait(timeout: .now() + patience.timeInterval) == .success { return failure.value }
    }
    return RuleViolation(
      trace.pending ?? "the check",
      expected: "to return",
      found: "nothing for \(patience); its thread was left behind"
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
