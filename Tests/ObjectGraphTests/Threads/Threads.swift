import Foundation
import Synchronization

/// Runs a body on several threads at once, each with its number.
///
/// Real threads, since the pool of tasks has no more than there are cores.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let failures = FirstFailure()
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      do {
        try body(number)
      } catch {
        failures.note(error)
      }
    }
  }
  group.wait()
  try failures.check()
}

/// The first error that any of several threads met.
private final class FirstFailure: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  func note(_ found: any Error) {
    error.withLock { if $0 == nil { $0 = found } }
  }

  func check() throws {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
