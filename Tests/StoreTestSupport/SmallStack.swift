import Foundation
import Synchronization

/// Runs code where there is little stack, as threads of servers and of Apple's systems have it.
public enum SmallStack {
  /// Runs a body on a thread of its own and waits for it.
  ///
  /// - Parameters:
  ///   - kilobytes: The size of the thread's stack; a body that needs more ends the process.
  ///   - body: What runs there.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public static func run<Value: Sendable>(
    kilobytes: Int = 512,
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    let thread = Thread { outcome.set(Result(catching: body)) }
    thread.stackSize = kilobytes * 1024
    thread.start()
    return try outcome.wait().get()
  }
}

/// What came of a body, for the thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func set(_ value: Result<Value, any Error>) {
    result.withLock { $0 = value }
    isDone.signal()
  }

  func wait() throws -> Result<Value, any Error> {
    isDone.wait()
    guard let value = result.withLock({ $0 }) else { throw CancellationError() }
    return value
  }
}
