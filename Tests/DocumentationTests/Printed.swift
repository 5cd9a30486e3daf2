import Synchronization

/// Receives what the code of a page prints, in place of Swift's function: `let print = Printed()`.
///
/// So the code is compiled exactly as it is printed, and a test knows what it did.
final class Printed: Sendable {
  private let written = Mutex<[String]>([])
  private let lastText: String?

  /// Creates an empty list.
  ///
  /// - Parameter lastText: The text whose line cancels the task that prints it, for a loop that has
  ///   no end of its own.
  init(upTo lastText: String? = nil) { self.lastText = lastText }

  /// The lines so far.
  var lines: [String] { written.withLock { $0 } }

  func callAsFunction(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ")
    written.withLock { $0.append(line) }
    if let lastText, line.contains(lastText) { withUnsafeCurrentTask { $0?.cancel() } }
  }
}
