import Foundation

/// The time and the memory that one contender takes in one run.
final class Stopwatch {
  /// Nanoseconds of all processors, in the process and in the system for it.
  private(set) var cpu = 0.0
  /// Nanoseconds that passed.
  private(set) var wall = 0.0
  /// By how much the process grew at most, where the system tells and it was asked for.
  private(set) var peakBytes: Int?
  private let measuresMemory: Bool

  init(measuringMemory: Bool = false) {
    measuresMemory = measuringMemory
  }

  /// Measures a part of the run; several add up.
  func time<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = measuresMemory ? ResidentMemory.startingPeak() : nil
    let cpuStart = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    let wallStart = Self.nanoseconds(CLOCK_MONOTONIC)
    let result = try body()
    wall += Self.nanoseconds(CLOCK_MONOTONIC) - wallStart
    cpu += Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart
    if let start, let peak = ResidentMemory.peak() {
      peakBytes = max(peakBytes ?? 0, peak - start)
    }
    return result
  }

  private static func nanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
