import Foundation
import OpenSwiftData

/// The arguments of a process of the traffic.
struct TrafficOptions {
  var url: String
  /// The number of the process among all that work on the store.
  var process = 0
  /// How many threads work on one open store, each with a number as processes have: those of the
  /// first process from zero on, and those of others after them.
  var threads = 1
  /// After how many acknowledged saves it ends.
  var saves = 1_000
  /// After how many seconds it ends, however much was saved; zero for by saves alone.
  var seconds = 0
  /// Whether it only reads.
  var isReader = false
  var seed: UInt64 = 1
  /// The number of the first operation.
  var from = 1
  /// How many lists there are.
  var lists = 120
  /// How many operations are done before the store is closed and opened again; zero for no end.
  var session = 0
  /// How many characters a register's value has beside it.
  var padding = 0
  /// How many milliseconds it waits after a failure, in a store that may be unreachable for a while.
  var pause = 0
}

/// Performs random operations beside other processes and logs each of them.
///
/// Lines, each one write, with the nanoseconds of a clock that all processes share:
///
///     W t ns        the store was opened, which took ns
///     N t code …    it could not be opened
///     I n t …       operation n is about to begin
///     O n t …       it ended, and this is what it read
///     F n t code …  it failed and left nothing behind
///     U n t code …  nobody knows what became of it
///     E t           all is done
struct TrafficRun {
  /// After so many failures without a success between them the process gives up.
  private static let mostFailures = 500

  private let options: TrafficOptions
  /// The open store of several threads, or `nil` to open one for each session.
  private let container: ModelContainer?
  /// When it ends at the latest.
  private let deadline: UInt64
  private var number: Int
  private var saved = 0
  private var failures = 0

  init(_ options: TrafficOptions, _ container: ModelContainer? = nil) {
    self.options = options
    self.container = container
    number = options.from
    deadline = options.seconds == 0 ? .max : Self.now + UInt64(options.seconds) * 1_000_000_000
  }

  private var isDone: Bool {
    options.seconds == 0 ? saved >= options.saves : Self.now >= deadline
  }

  /// Runs to the end.
  ///
  /// - Returns: The exit code.
  mutating func callAsFunction() -> Int32 {
    var pauses = Numbers(seed: options.seed ^ UInt64(options.process &* 1_000_003 &+ number))
    while !isDone {
      let began = Self.now
      do {
        let session = try TrafficSession(options, container)
        say("W \(Self.now) \(Self.now - began)")
        use(session)
      } catch {
        say("N \(Self.now) \(error.word) \(error.sentence.prefix(300))")
        if error.word != DataStoreError.storeBusy.code, options.pause == 0 { return 4 }
        failures += 1
        usleep(UInt32(options.pause) * 1_000)
      }
      if failures > Self.mostFailures { return 3 }
      if options.session > 0 { usleep(UInt32(pauses.next(below: 10_000))) }
    }
    say("E \(Self.now)")
    return 0
  }

  /// Works on an open store until it is time to close it, or it seems to be of no use.
  private mutating func use(_ session: TrafficSession) {
    let end = options.session == 0 ? Int.max : number + options.session
    while number < end, !isDone, failures <= Self.mostFailures {
      let operation = TrafficOperation(options, number: number, stretch: stretch)
      defer { number += 1 }
      say("I \(number) \(Self.now) \(operation.text)")
      do {
        let result = try session.perform(operation, number)
        say("O \(number) \(Self.now) \(result)")
        failures = 0
        if operation.isSave { saved += 1 }
      } catch {
        failures += 1
        usleep(UInt32(options.pause) * 1_000)
        let isUnknown = error.word == DataStoreError.outcomeUnknown.code
        let reason = "\(error.word) \(error.sentence.prefix(300))"
        say("\(isUnknown ? "U" : "F") \(number) \(Self.now) \(reason)")
        if isUnknown || error.word == DataStoreError.storeClosed.code { return }
      }
    }
  }

  /// Logs a line, which begins with the number of the thread if there are several.
  private func say(_ line: String) {
    Output.line(container == nil ? line : "\(options.process) \(line)")
  }

  /// The stretch of the run, which all processes are in at about the same time.
  private var stretch: Int {
    options.seconds == 0 ? number / 200 : Int(truncatingIfNeeded: Self.now / 100_000_000)
  }

  /// Nanoseconds of the clock that no one can set.
  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
