import Synchronization

/// The number of requests to stores, and of rows in their results.
public struct StoreCount: Hashable, Sendable {
  /// The number of requests of each kind.
  public private(set) var byKind: [StoreRequest.Kind: Int] = [:]
  /// The number of rows in results.
  public private(set) var rows = 0
  /// Short descriptions of the requests, in order.
  public private(set) var requestsInOrder: [String] = []

  /// The number of requests that read; saves and removals do not count.
  public var requests: Int {
    byKind.filter { $0.key != .save && $0.key != .erase }.reduce(0) { $0 + $1.value }
  }

  /// The number of saves.
  public var saves: Int { byKind[.save] ?? 0 }

  mutating func add(_ request: StoreRequest, rows: Int) {
    byKind[request.kind, default: 0] += 1
    if request.kind != .save { self.rows += rows }
    requestsInOrder.append("\(request)")
  }
}

extension StoreCount: CustomStringConvertible {
  /// The numbers, and one request per line.
  public var description: String {
    let head = "\(requests) requests, \(rows) rows, \(saves) saves"
    return ([head] + requestsInOrder.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// Counts the requests of stores, while a count is active.
public final class StoreCounter: Sendable {
  private struct State {
    var counts: [Int: StoreCount] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// Creates a counter without an active count.
  public init() {}

  /// Counts the requests while a body runs, on any thread.
  ///
  /// - Returns: The requests and rows meanwhile.
  /// - Throws: Errors of the body.
  public func count<Result>(_ body: () throws -> Result) rethrows -> StoreCount {
    let number = begin()
    defer { end(number) }
    _ = try body()
    return current(number)
  }

  /// Counts the requests while an asynchronous body runs, on any thread.
  public func count<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> StoreCount {
    let number = begin()
    defer { end(number) }
    _ = try await body()
    return current(number)
  }

  func note(_ request: StoreRequest, rows: Int) {
    state.withLock { state in
      for number in state.counts.keys { state.counts[number]?.add(request, rows: rows) }
    }
  }

  private func begin() -> Int {
    state.withLock { state in
      state.last += 1
      state.counts[state.last] = StoreCount()
      return state.last
    }
  }

  private func current(_ number: Int) -> StoreCount {
    state.withLock { $0.counts[number] ?? StoreCount() }
  }

  private func end(_ number: Int) { state.withLock { $0.counts[number] = nil } }
}
