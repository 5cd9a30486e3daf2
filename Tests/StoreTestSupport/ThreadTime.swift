import Foundation

/// The processor time of the current thread.
///
/// It does not grow while a busy machine runs others, so that tests can compare it.
package enum ThreadTime {
  /// Returns the time that a body takes.
  package static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let start = now
    try body()
    return now - start
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
