import Dispatch
import StoreProtocol
import Synchronization

/// The requests of an open store that are in progress, until it is closed.
final class StoreRequests: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
    /// The threads that wait for the end of the requests.
    var waiting: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  /// Runs a request.
  ///
  /// - Throws: ``DataStoreError/storeClosed`` after ``close(waits:)``, and the function's errors.
  func during<Result>(_ location: String, _ body: () throws -> Result) throws -> Result {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.count += 1 }
      return !state.isClosed
    }
    guard isOpen else {
      throw DataStoreError(.storeClosed, "the store is closed; open it again", file: location)
    }
    defer { end() }
    return try body()
  }

  /// Refuses all later requests, and waits for those in progress.
  func close(waits: Bool) {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      state.isClosed = true
      guard waits, state.count > 0 else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiting.append(semaphore)
      return semaphore
    }
    semaphore?.wait()
  }

  private func end() {
    let waiting = state.withLock { state -> [DispatchSemaphore] in
      state.count -= 1
      guard state.count == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for semaphore in waiting { semaphore.signal() }
  }
}
