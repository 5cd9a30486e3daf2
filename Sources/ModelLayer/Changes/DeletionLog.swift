import StoreProtocol
import Synchronization

/// The rows that saves through a container removed last, for the contexts that may have their
/// objects.
///
/// Each context has a position in the log and reads on from there. A save costs time in proportion
/// to the rows that it removed, regardless of the number of contexts. A context costs the log one
/// number.
final class DeletionLog: Sendable {
  /// The rows that were removed since a position.
  struct Deletions: Sendable {
    /// The identifiers of removed rows.
    var identifiers: ArraySlice<PersistentIdentifier> = []
    /// Whether more was removed than the log has, so that the context must check which rows are
    /// left.
    var isMuch = false
    /// The position from which to read on.
    var position: UInt64
  }

  private struct State {
    /// The position of the first identifier.
    var start: UInt64 = 0
    var identifiers: [PersistentIdentifier] = []
    var readers = 0

    var end: UInt64 { start + UInt64(identifiers.count) }

    /// Drops all identifiers, so that no position so far can read them.
    mutating func skip(_ count: Int) {
      start = end + UInt64(count)
      identifiers = []
    }
  }

  /// The number of identifiers that are kept for readers that are late.
  private static let capacity = 10_000
  private let state = Mutex(State())

  /// The number of contexts that read.
  var readerCount: Int { state.withLock { $0.readers } }

  /// Adds a context, and returns its position.
  func addReader() -> UInt64 {
    state.withLock { state in
      state.readers += 1
      return state.end
    }
  }

  /// Removes a context.
  func removeReader() {
    state.withLock { state in
      state.readers -= 1
      if state.readers == 0, !state.identifiers.isEmpty { state.skip(0) }
    }
  }

  /// Returns the rows that were removed since a position.
  func deletions(since position: UInt64) -> Deletions {
    state.withLock { state in
      guard position >= state.start else { return Deletions(isMuch: true, position: state.end) }
      let first = Int(position - state.start)
      return Deletions(identifiers: state.identifiers[first...], position: state.end)
    }
  }

  /// Adds removed rows.
  ///
  /// - Parameters:
  ///   - identifiers: The rows.
  ///   - isMuch: Whether there were so many that they are not named.
  ///   - position: The position of the context that removed them, or `nil` if it was no context.
  /// - Returns: The new position of that context.
  func append(
    _ identifiers: [PersistentIdentifier],
    isMuch: Bool,
    position: UInt64?
  ) -> UInt64 {
    state.withLock { state in
      let wasCurrent = position == state.end
      if isMuch || identifiers.count > Self.capacity {
        state.skip(1 + identifiers.count)
      } else if state.readers <= (position == nil ? 0 : 1), wasCurrent || position == nil {
        state.skip(identifiers.count)
      } else {
        state.identifiers += identifiers
        trim(&state)
      }
      return wasCurrent ? state.end : position ?? state.end
    }
  }

  private func trim(_ state: inout State) {
    let surplus = state.identifiers.count - Self.capacity
    // Identifiers are moved only after the surplus has grown to the capacity.
    guard surplus > Self.capacity else { return }
    state.identifiers.removeFirst(surplus)
    state.start += UInt64(surplus)
  }
}
