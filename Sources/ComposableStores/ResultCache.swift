import StoreHelpers
import StoreProtocol
import Synchronization

/// A cache of a store's results, by request.
///
/// A result is cached only if no save began or ended since its request. Otherwise an old result
/// could be stored after the save that outdated it.
final class ResultCache: Sendable {
  enum Question: Hashable, Sendable {
    case fetch(StoreQuery)
    case read(StoreQuery)
    case identifiers(StoreQuery)
    case count(StoreQuery)
    case select(StoreSelection)
    case members(property: String, entity: String, owners: [PersistentIdentifier])
  }

  private struct State {
    var values: [Question: any Sendable] = [:]
    var rows = 0
    var generation: UInt64 = 0

    mutating func forget() {
      values = [:]
      rows = 0
      generation += 1
    }
  }

  private let maximumRows: Int
  private let watch: (any StoreWatch)?
  private let state = Mutex(State())
  /// The threads whose reads are of one state, which may be older than the last save.
  private let held = HeldStates<Bool>()

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - maximumRows: The largest number of rows to keep.
  ///   - watch: A watcher for saves of others, or `nil` if there is none.
  init(maximumRows: Int, watch: (any StoreWatch)?) {
    self.maximumRows = maximumRows
    self.watch = watch
  }

  /// Returns the cached result, or computes it.
  func value<Value: Sendable>(
    _ question: Question,
    rows: (Value) -> Int,
    _ make: () throws -> Value
  ) throws -> Value {
    if held.current != nil { return try make() }
    let (kept, generation) = try state.withLock { state in
      if try watch?.newSaves() != nil { state.forget() }
      return (state.values[question] as? Value, state.generation)
    }
    if let kept { return kept }
    let value = try make()
    keep(value, to: question, rows: max(1, rows(value)), asked: generation)
    return value
  }

  /// Runs a body whose reads, on this thread, neither use nor change the cache.
  ///
  /// Cached results may be of another state than the one that the body reads.
  func bypassing(_ body: () throws -> Void) rethrows {
    guard held.current == nil else { return try body() }
    try held.hold(true, during: body)
  }

  /// Runs a change of the store, and clears all earlier results.
  func forgetting<Result>(_ change: () throws -> Result) rethrows -> Result {
    state.withLock { $0.forget() }
    // A concurrent read may have seen the state before the change.
    defer { state.withLock { $0.forget() } }
    return try change()
  }

  private func keep(
    _ value: some Sendable,
    to question: Question,
    rows: Int,
    asked generation: UInt64
  ) {
    guard rows <= maximumRows else { return }
    state.withLock { state in
      guard state.generation == generation, state.values[question] == nil else { return }
      if state.rows + rows > maximumRows { state.forget() }
      state.values[question] = value
      state.rows += rows
    }
  }
}
