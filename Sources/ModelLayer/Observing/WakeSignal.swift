/// A signal that wakes one waiting task; several calls before the task continues act as one.
struct WakeSignal: Sendable {
  private let continuation: AsyncStream<Void>.Continuation
  private let stream: AsyncStream<Void>

  /// Creates a signal without a waiting task.
  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The function that wakes the task, from any thread.
  var call: @Sendable () -> Void {
    { [continuation] in continuation.yield() }
  }

  /// Creates the iterator on which the task waits.
  func makeWaiter() -> AsyncStream<Void>.Iterator { stream.makeAsyncIterator() }
}
