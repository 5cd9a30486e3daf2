import Synchronization

/// Distinguishes the saves of a container's contexts from those of others.
final class OwnSaves: Sendable {
  private struct State {
    var pendingCount = 0
    var numbers: Set<Int64> = []
  }

  private let state = Mutex(State())

  /// Runs a save, and notes its number.
  func during<Result>(_ save: () throws -> Result, number: (Result) -> Int64) rethrows -> Result {
    state.withLock { $0.pendingCount += 1 }
    var done: Int64?
    defer {
      state.withLock { state in
        state.pendingCount -= 1
        if let done { state.numbers.insert(done) }
      }
    }
    let result = try save()
    done = number(result)
    return result
  }

  /// Whether others made any of some saves, or `nil` if that is not known yet.
  func areOthers(among saves: ClosedRange<Int64>) -> Bool? {
    state.withLock { state in
      let unknown = saves.contains { !state.numbers.contains($0) }
      if unknown, state.pendingCount > 0 { return nil }
      state.numbers = state.numbers.filter { $0 > saves.upperBound }
      return unknown
    }
  }
}
