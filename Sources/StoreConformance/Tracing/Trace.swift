import StoreProtocol

/// The last requests to the stores of one rule, with their results.
///
/// Reports show it with a failure, and the watchdog uses it to detect progress.
final class Trace: Sendable {
  struct Entry: Sendable {
    let request: @Sendable () -> String
    var result: (@Sendable () -> String)?

    var line: String { "\(request()) → \(result?() ?? "did not return")" }
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var steps = 0
    var rows = 0
  }

  private static let length = 6
  private let state = Shared(State())

  /// The number of begins and ends of requests.
  var steps: Int { state.value.steps }

  /// The number of rows that the requests insert, update or delete.
  var rows: Int { state.value.rows }

  /// The last requests, the oldest first.
  var lines: [String] {
    state.value.entries.sorted { $0.key < $1.key }.map(\.value.line)
  }

  /// The oldest request that has not returned.
  var pending: String? {
    state.value.entries.sorted { $0.key < $1.key }.first { $0.value.result == nil }?.value.request()
  }

  /// Counts the rows of a request that is about to begin.
  func count(_ changes: StoreChanges) {
    let runs = changes.insertions + changes.updates
    let rows = runs.reduce(changes.deleted.count) { $0 + $1.count }
    state.withLock { $0.rows += rows }
  }

  /// Runs a request and keeps what came of it.
  ///
  /// The strings are created when they are read: most requests belong to no failure.
  func note<Result: Sendable>(
    _ request: @escaping @Sendable () -> String,
    _ describe: @escaping @Sendable (Result) -> String,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let number = begin(request)
    do {
      let result = try body()
      end(number) { describe(result) }
      return result
    } catch {
      end(number) { "the error \(error)" }
      throw error
    }
  }

  private func begin(_ request: @escaping @Sendable () -> String) -> Int {
    state.withLock { state in
      state.steps += 1
      state.entries[state.steps] = Entry(request: request)
      if state.entries.count > Self.length,
        let oldest = state.entries.filter({ $0.value.result != nil }).keys.min()
      {
        state.entries[oldest] = nil
      }
      return state.steps
    }
  }

  private func end(_ number: Int, _ result: @escaping @Sendable () -> String) {
    state.withLock { state in
      state.steps += 1
      state.entries[number]?.result = result
    }
  }
}
