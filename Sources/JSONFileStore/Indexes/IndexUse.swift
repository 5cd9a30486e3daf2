import Synchronization

/// Notes that readers use an index; shared by all copies of it.
final class IndexUse: Sendable {
  private let wasUsed = Atomic(true)

  func note() { wasUsed.store(true, ordering: .relaxed) }

  /// Whether the index was used since this was asked last.
  func take() -> Bool { wasUsed.exchange(false, ordering: .relaxed) }
}
