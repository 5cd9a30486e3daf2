import StoreProtocol
import Synchronization

/// How often stores were asked, and how many rows they gave.
public struct StoreCount: Hashable, Sendable {
  /// How many requests there were of each kind.
  public private(set) var byKind: [StoreRequest.Kind: Int] = [:]
  /// How many rows were given.
  public private(set) var rows = 0
  /// The requests in order, in a few words each.
  public private(set) var requestsInOrder: [String] = []

  /// The requests that ask something; saves and removals are none.
  public var requests: Int {
    byKind.filter { $0.key != .save && $0.key != .erase }.reduce(0) { $0 + $1.value }
  }

  /// The batches of changes.
  public var saves: Int { byKind[.save] ?? 0 }

  mutating func add(_ request: StoreRequest, rows: Int) {
    byKind[request.kind, default: 0] += 1
    if request.kind != .save { self.rows += rows }
    requestsInOrder.append("\(request)")
  }
}

extension StoreCount: CustomStringConvertible {
  /// The numbers, and the requests one a line.
  public var description: String {
    let head = "\(requests) requests, \(rows) rows, \(saves) saves"
    return ([head] + requestsInOrder.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// Counts the requests of stores, while somebody wants to know.
public final class StoreCounter: Sendable {
  private struct State {
    var counts: [Int: StoreCount] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// Creates a counter that nobody asks yet.
  public init() {}

  /// Counts what happens while a body runs, on whichever thread.
  ///
  /// - Returns: The requests and rows meanwhile.
  /// - Throws: What the body throws.
  public func count<Result>(_ body: () throws -> Result) rethrows -> StoreCount {
    let number = begin()
    defer { end(number) }
    _ = try body()
    return current(number)
  }

  /// Counts what happens while an asynchronous body runs, on whichever thread.
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
