import Synchronization

/// A flag that records whether readers use an index; shared by all copies of it.
final class IndexUse: Sendable {
  private let wasUsed = Atomic(true)

  func note() { wasUsed.store(true, ordering: .relaxed) }

  /// Returns whether the index was used since the last call.
  func take() -> Bool { wasUsed.exchange(false, ordering: .relaxed) }
}
