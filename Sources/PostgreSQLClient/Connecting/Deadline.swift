/// A time at which waiting ends.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  /// Returns the deadline after a duration.
  package static func after(_ duration: Duration) -> Deadline {
    Deadline(instant: ContinuousClock.now + duration)
  }

  /// The remaining time, at least zero.
  package var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: instant)) }

  /// A Boolean value that indicates whether no time is left.
  package var isPassed: Bool { remaining == .zero }

  /// The remaining time in milliseconds, rounded up, as poll(2) requires.
  var milliseconds: Int32 { Int32(clamping: Deadline.milliseconds(remaining)) }

  /// Returns a duration in milliseconds, rounded up.
  static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }

  /// Returns the part of the remaining time that each of some attempts can have.
  package func share(of attempts: Int) -> Deadline { .after(remaining / max(1, attempts)) }
}
