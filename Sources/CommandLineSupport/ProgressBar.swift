import Foundation

/// A line on standard error that shows the progress of a long piece of work.
///
/// It is drawn only if standard error is a terminal, so that a pipe or a log file stays clean.
package struct ProgressBar: Sendable {
  private let title: String
  private let total: Int
  private let console: Console
  private let clock: @Sendable () -> Duration
  private let start: Duration
  private var lastDrawn: Duration?

  /// More than ten updates a second are not visible.
  private static let interval = Duration.milliseconds(100)

  /// Starts a bar.
  ///
  /// - Parameters:
  ///   - title: The word in front of the bar.
  ///   - total: The count at which the work is done.
  ///   - console: The console for the bar.
  ///   - clock: The time since any fixed moment; tests pass one of their own.
  package init(
    _ title: String,
    total: Int,
    console: Console,
    clock: @escaping @Sendable () -> Duration = Self.elapsed
  ) {
    self.title = title
    self.total = total
    self.console = console
    self.clock = clock
    self.start = clock()
  }

  /// The time since the system started.
  package static func elapsed() -> Duration {
    .seconds(ProcessInfo.processInfo.systemUptime)
  }

  /// Draws the bar for a count, at most ten times a second.
  package mutating func advance(to count: Int) {
    guard console.isErrorTerminal else { return }
    let now = clock()
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    let line = Self.line(title, count, of: total, after: now - start, width: console.width - 1)
    console.errors.write("\r" + line + Self.clearRest)
  }

  /// Removes the bar.
  package mutating func finish() {
    guard lastDrawn != nil else { return }
    console.errors.write("\r" + Self.clearRest)
    lastDrawn = nil
  }

  /// The control sequence that clears a terminal from the cursor to the end of the line.
  private static let clearRest = "\u{1B}[K"

  static func line(
    _ title: String,
    _ count: Int,
    of total: Int,
    after elapsed: Duration,
    width: Int
  ) -> String {
    let fraction = total > 0 ? min(1, max(0, Double(count) / Double(total))) : 1
    let percent = String(Int(fraction * 100))
    let numbers = String(repeating: " ", count: 3 - percent.count) + percent + "%"
    let rest = remaining(fraction, after: elapsed).map { "  \($0) left" } ?? ""
    let room = width - title.displayWidth - numbers.count - rest.count - 4
    guard room >= 4 else { return "\(title) \(numbers)".truncated(to: width) }
    let filled = Int(fraction * Double(room))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: ".", count: room - filled)
    return "\(title) [\(bar)] \(numbers)\(rest)"
  }

  private static func remaining(_ fraction: Double, after elapsed: Duration) -> String? {
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    guard fraction > 0.02, fraction < 1, seconds > 2 else { return nil }
    let left = Int((seconds / fraction - seconds).rounded(.up))
    return left < 60 ? "\(left)s" : "\(left / 60)m \(left % 60)s"
  }
}
