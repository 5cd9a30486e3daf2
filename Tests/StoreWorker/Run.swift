import OpenSwiftData

/// Performs the steps of a script on a store, and says of each what became of it.
struct Run {
  /// What is done after a step that failed.
  enum AfterFailure: String {
    case retry, stop
    /// Tries again after a line on standard input.
    case wait
  }

  /// What another thread does meanwhile.
  enum Beside: String {
    case checkpoints, reads
  }

  /// How often a step is tried.
  private static let attempts = 3

  private let url: String
  private let script: Script
  private let steps: Range<Int>
  private let afterFailure: AfterFailure
  private let beside: Beside?
  private var session: (any Session)?
  private var expected: Contents
  /// How many descriptors there were before anything was opened.
  private let descriptors = Descriptors.open

  init(
    _ url: String,
    _ script: Script,
    _ steps: Range<Int>,
    _ afterFailure: AfterFailure,
    beside: Beside?
  ) {
    self.url = url
    self.script = script
    self.steps = steps
    self.afterFailure = afterFailure
    self.beside = beside
    expected = Contents(script, after: steps.lowerBound - 1)
  }

  /// Runs to the end.
  ///
  /// - Returns: The exit code.
  mutating func callAsFunction() -> Int32 {
    do {
      session = try openSession(url, isWide: script.isWide(after: steps.lowerBound - 1))
    } catch {
      Output.line("NAK 0 \(error.word)")
      Output.complain(error)
      return 4
    }
    Output.line("OPEN")
    switch beside {
    case .checkpoints: CheckpointsBeside.begin(url)
    case .reads: try? ReadsBeside.begin(url)
    case nil: break
    }
    for number in steps {
      guard let step = script[number] else { break }
      guard perform(step, number) else { return 3 }
      expected.perform(number, of: script)
    }
    session = nil
    let left = Descriptors.open - descriptors
    if left > 0 { Output.line("LEAK \(left)") }
    Output.line("END")
    return 0
  }

  /// Performs a step, again where it fails.
  private mutating func perform(_ step: Step, _ number: Int) -> Bool {
    var isChanged = false
    for attempt in 1...Self.attempts {
      Output.line("TRY \(number)")
      do {
        try attemptStep(step, number, &isChanged)
        Output.line("ACK \(number)")
        return true
      } catch {
        Output.line("NAK \(number) \(error.word)")
        Output.complain(error)
        switch afterFailure {
        case .stop: return false
        case .retry: break
        case .wait: _ = readLine()
        }
        // What was computed from a relationship that could not be read must not be saved.
        if error is SwiftDataError { isChanged = false }
        if !isChanged { session?.rollBack() }
        // The second time it is the same changes that are saved; the third time another store.
        if attempt > 1 || error.word == DataStoreError.storeClosed.code {
          session = nil
          isChanged = false
        }
      }
    }
    return false
  }

  private mutating func attemptStep(
    _ step: Step,
    _ number: Int,
    _ isChanged: inout Bool
  ) throws {
    let isWide = script.isWide(after: number)
    switch step {
    case .reopen, .widen,
      .compact where url.hasPrefix("sqlite"):
      session = nil
    case .fetch:
      let found = try session?.contents()
      if let difference = found?.difference(to: expected) {
        throw WorkerError.wrong("before step \(number) \(difference)")
      }
    default: break
    }
    let session = try self.session ?? openSession(url, isWide: isWide)
    self.session = session
    if !isChanged {
      try session.change(step, number)
      isChanged = true
    }
    try session.finish(step)
  }
}
