import Dispatch
import Synchronization

/// Counts the requests that are under way, so that the end of a database can wait for them.
final class DatabaseUse: Sendable {
  private static let ended = 1 << 40
  private let count = Atomic<Int>(0)
  private let last = DispatchSemaphore(value: 0)

  /// Whether no request begins any more.
  var hasEnded: Bool { count.load(ordering: .acquiring) >= Self.ended }

  /// Begins a request, and returns whether it may go on; ``leave()`` ends it in either case.
  func enter() -> Bool {
    count.add(1, ordering: .acquiringAndReleasing).newValue < Self.ended
  }

  /// Ends a request.
  func leave() {
    if count.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.ended { last.signal() }
  }

  /// Lets no request begin any more and waits for those under way.
  ///
  /// - Returns: Whether this call has ended the use, and no other before it.
  func end() -> Bool {
    let before = count.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    guard before < Self.ended else { return false }
    if before > 0 { last.wait() }
    return true
  }
}
