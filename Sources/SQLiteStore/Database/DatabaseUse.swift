import Dispatch
import Synchronization

/// Counts the running requests, so that the end of a database can wait for them.
final class DatabaseUse: Sendable {
  private static let ended = 1 << 40
  private let count = Atomic<Int>(0)
  private let last = DispatchSemaphore(value: 0)

  /// Begins a request, and returns whether it may continue; ``leave()`` ends it in either case.
  func enter() -> Bool {
    count.add(1, ordering: .acquiringAndReleasing).newValue < Self.ended
  }

  /// Ends a request.
  func leave() {
    if count.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.ended { last.signal() }
  }

  /// Rejects new requests and waits for the running ones.
  ///
  /// - Returns: Whether this call ended the use, and not an earlier one.
  func end() -> Bool {
    let before = count.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    guard before < Self.ended else { return false }
    if before > 0 { last.wait() }
    return true
  }
}
