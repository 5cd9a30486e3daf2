import Foundation
import StoreConformance
import Synchronization

/// The folder of one store, with the steps that the store performs in it.
final class StoreFolder: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "custom-\(UUID().uuidString)")
  let steps = Steps()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }
}

/// Counts the steps of a store, and makes one of them fail, or that and all that follow.
final class Steps: Sendable {
  private struct State {
    var count = 0
    var failing: (fault: StoreFault, step: Int)?
  }

  private let state = Mutex(State())

  /// What the store calls before each step.
  func next() throws {
    try state.withLock { state in
      state.count += 1
      guard let (fault, step) = state.failing else { return }
      if fault == .failure ? state.count == step : state.count >= step {
        throw CocoaError(.fileWriteOutOfSpace)
      }
    }
  }

  /// Runs a body with a fault in it; whether the store came so far.
  func run(_ fault: StoreFault, at step: Int, _ body: () -> Void) -> Bool {
    state.withLock { $0 = State(failing: (fault, step)) }
    body()
    return state.withLock { state in
      defer { state = State() }
      return state.count >= step
    }
  }
}
