/// Wakes one waiting task; that it is called more than once before the task looks makes no difference.
struct WakeSignal: Sendable {
  private let continuation: AsyncStream<Void>.Continuation
  private let stream: AsyncStream<Void>

  /// Makes a signal for which nobody waits yet.
  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// What wakes the task, on whatever thread.
  var call: @Sendable () -> Void {
    { [continuation] in continuation.yield() }
  }

  /// What the task waits with.
  func makeWaiter() -> AsyncStream<Void>.Iterator { stream.makeAsyncIterator() }
}
