import Foundation
import Synchronization

/// The states that bodies of ``RecordStore/readingOneState(_:)`` read, by their threads.
///
/// A store whose states are values implements `readingOneState(_:)` with it: the store holds the
/// current state during the body, and its reads use ``current`` if there is one.
public final class HeldStates<State: Sendable>: Sendable {
  private let states = Mutex<[ObjectIdentifier: State]>([:])
  private let count = Atomic(0)

  /// Creates a collection without states.
  public init() {}

  /// The state of a body on this thread, or `nil` if there is none.
  public var current: State? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    let thread = ObjectIdentifier(Thread.current)
    return states.withLock { $0[thread] }
  }

  /// Runs a body whose reads, on its thread, are of a state.
  ///
  /// Bodies cannot nest: if ``current`` is not `nil`, run the inner body directly.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - body: The body of `readingOneState(_:)`.
  /// - Throws: The errors of `body`.
  public func hold(_ state: State, during body: () throws -> Void) rethrows {
    let thread = ObjectIdentifier(Thread.current)
    states.withLock { $0[thread] = state }
    count.add(1, ordering: .relaxed)
    defer {
      count.subtract(1, ordering: .relaxed)
      states.withLock { $0[thread] = nil }
    }
    try body()
  }

  /// Changes the state of a body on this thread, if there is one.
  package func change(_ body: (inout State) -> Void) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    let thread = ObjectIdentifier(Thread.current)
    states.withLock { states in
      guard var state = states[thread] else { return }
      body(&state)
      states[thread] = state
    }
  }
}
