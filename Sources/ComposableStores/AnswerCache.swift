import StoreProtocol
import Synchronization

/// The answers of a store, by what it was asked.
///
/// An answer is kept only where no save began or ended since it was asked for: it would be that of
/// before, kept behind the save that made it old.
final class AnswerCache: Sendable {
  /// What was asked.
  enum Question: Hashable, Sendable {
    case fetch(StoreQuery)
    case read(StoreQuery)
    case identifiers(StoreQuery)
    case count(StoreQuery)
    case select(StoreSelection)
    case members(property: String, entity: String, owners: [PersistentIdentifier])
  }

  private struct State {
    var answers: [Question: any Sendable] = [:]
    var rows = 0
    var generation: UInt64 = 0

    mutating func forget() {
      answers = [:]
      rows = 0
      generation += 1
    }
  }

  private let maximumRows: Int
  private let watch: (any StoreWatch)?
  private let state = Mutex(State())

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - maximumRows: How much is kept.
  ///   - watch: What notices the saves of others.
  init(maximumRows: Int, watch: (any StoreWatch)?) {
    self.maximumRows = maximumRows
    self.watch = watch
  }

  /// The answer that is kept, or a new one.
  func answer<Answer: Sendable>(
    _ question: Question,
    rows: (Answer) -> Int,
    _ make: () throws -> Answer
  ) throws -> Answer {
    let (kept, generation) = try state.withLock { state in
      if try watch?.newSaves() != nil { state.forget() }
      return (state.answers[question] as? Answer, state.generation)
    }
    if let kept { return kept }
    let answer = try make()
    keep(answer, to: question, rows: max(1, rows(answer)), asked: generation)
    return answer
  }

  /// Runs what changes the store, and forgets all answers of before.
  func forgetting<Result>(_ change: () throws -> Result) rethrows -> Result {
    state.withLock { $0.forget() }
    // Whoever read meanwhile may have seen the state before the change.
    defer { state.withLock { $0.forget() } }
    return try change()
  }

  private func keep(
    _ answer: some Sendable,
    to question: Question,
    rows: Int,
    asked generation: UInt64
  ) {
    guard rows <= maximumRows else { return }
    state.withLock { state in
      guard state.generation == generation, state.answers[question] == nil else { return }
      if state.rows + rows > maximumRows { state.forget() }
      state.answers[question] = answer
      state.rows += rows
    }
  }
}
