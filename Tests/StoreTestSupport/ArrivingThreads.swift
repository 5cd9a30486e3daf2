import Dispatch
import Foundation
import StoreProtocol
import Synchronization

/// Threads that save at the same time, in a known order.
package enum ArrivingThreads {
  /// Runs a body on threads of their own, the first of which is to wait for the others.
  ///
  /// - Parameters:
  ///   - count: The number of threads.
  ///   - gate: The gate at which the first one waits.
  ///   - waiting: Returns the number of threads that wait for the first one.
  ///   - body: The work of a thread with a number. The thread begins when those before it wait.
  /// - Returns: The results by the numbers.
  package static func run<Value>(
    _ count: Int,
    at gate: WaitingGate,
    waiting: @escaping @Sendable () -> Int,
    _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    // Unchecked: each thread has its own element, which is read when all have ended.
    nonisolated(unsafe) let results = UnsafeMutablePointer<Result<Value, any Error>?>
      .allocate(capacity: count)
    results.initialize(repeating: nil, count: count)
    defer {
      results.deinitialize(count: count)
      results.deallocate()
    }
    let done = DispatchGroup()
    for number in 0..<count {
      done.enter()
      Thread.detachNewThread {
        results[number] = Result { try body(number) }
        done.leave()
      }
      // The last one opens the gate, and then waits no more.
      if number == count - 1 { break }
      if number == 0 { gate.waitForFirst() } else { WaitingGate(for: number).wait(waiting) }
    }
    done.wait()
    return (0..<count).compactMap { results[$0] }
  }

  /// Runs a body on threads of their own, all at once, and returns the errors that it threw.
  package static func errors(
    _ count: Int,
    _ body: @escaping @Sendable () throws -> Void
  ) -> [any Error] {
    let errors = Mutex<[any Error]>([])
    let done = DispatchGroup()
    for _ in 0..<count {
      done.enter()
      Thread.detachNewThread {
        do { try body() } catch { errors.withLock { $0.append(error) } }
        done.leave()
      }
    }
    done.wait()
    return errors.withLock { $0 }
  }
}

/// Work on a thread of its own, which a test begins while a store is at work.
package final class WorkAside: Sendable {
  private let result = Mutex<Result<Void, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  package init() {}

  /// Begins the work, once.
  package func begin(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      let ended = Result { try body() }
      result.withLock { $0 = ended }
      done.signal()
    }
  }

  /// Waits for the end of the work, and throws its error.
  package func end() throws {
    done.wait()
    try result.withLock { try $0?.get() }
  }
}

/// A gate that opens when enough threads wait, and stays open.
package final class WaitingGate: Sendable {
  private let count: Int
  private let isReached = Atomic(false)
  private let isOpen = Atomic(false)

  package init(for count: Int) { self.count = count }

  /// Waits until enough threads wait, or for a minute, after which a test fails otherwise.
  package func wait(_ waiting: () -> Int) {
    isReached.store(true, ordering: .releasing)
    if isOpen.load(ordering: .acquiring) { return }
    Self.wait { waiting() >= count }
    isOpen.store(true, ordering: .releasing)
  }

  /// Waits until a thread waits at the gate.
  fileprivate func waitForFirst() { Self.wait { isReached.load(ordering: .acquiring) } }

  private static func wait(until isDone: () -> Bool) {
    let end = ContinuousClock.now + .seconds(60)
    while !isDone(), ContinuousClock.now < end { usleep(50) }
  }
}

/// The row of a save that waits at a gate while the store reads it.
package struct WaitingRow: RowProducer {
  private let values: [Int: StoreValue]
  private let onWrite: @Sendable () -> Void

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - values: Values by the indices of properties.
  ///   - gate: The gate.
  ///   - waiting: Returns the number of saves that wait for this one.
  ///   - onWrite: Runs after the gate is open, when the row is written.
  package init(
    _ values: [Int: StoreValue],
    at gate: WaitingGate,
    waiting: @escaping @Sendable () -> Int,
    onWrite: @escaping @Sendable () -> Void = {}
  ) {
    self.values = values
    self.onWrite = {
      gate.wait(waiting)
      onWrite()
    }
  }

  package func write(_ position: Int, to writer: RowWriter) {
    onWrite()
    for (index, value) in values { writer.write(value, at: index) }
  }
}
