import Synchronization

/// A value that several threads change under a lock.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value { mutex.withLock { $0 } }

  /// Runs a body that may change the value, while holding the lock.
  func withLock<Result: Sendable>(
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    try mutex.withLock { try body(&$0) }
  }
}
