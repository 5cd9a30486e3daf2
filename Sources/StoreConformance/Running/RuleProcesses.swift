import Foundation
import StoreProtocol

/// Tests rules in processes, so that a store that ends a process or never returns ends no run.
struct RuleProcesses {
  /// A function that returns a process that performs a task, ready to be run.
  typealias Maker = (RuleTask) throws -> Process

  private let make: Maker
  private let memory: UInt64?

  /// Creates processes that may use some bytes of memory, or any number if it is `nil`.
  init(memory: UInt64?, _ make: @escaping Maker) {
    self.make = make
    self.memory = memory
  }

  /// Returns the results of some rules.
  ///
  /// A rule in which a process ends is broken. The next one begins in a new process.
  ///
  /// - Throws: The errors of starting a process.
  func trials(of rules: [String]) throws -> [String: RuleTask.Trial] {
    var found: [String: RuleTask.Trial] = [:]
    var rest = rules[...]
    while !rest.isEmpty {
      let task = try RuleTask(Array(rest))
      defer { task.end() }
      let ending = try run(task)
      let (trials, unfinished) = try task.results()
      for (rule, trial) in trials { found[rule] = trial }
      rest = rest.dropFirst(trials.count)
      // A process that ended before its first rule would do so again for ever.
      guard let rule = unfinished ?? (trials.isEmpty ? rest.first : nil) else { continue }
      let violation = RuleTask.Violation(
        subject: "the process that tested the rule",
        expected: "to go on",
        found: ending,
        requests: []
      )
      found[rule] = RuleTask.Trial(violation: violation)
      rest = rest.dropFirst()
    }
    return found
  }

  /// Runs the process of a task, and returns how it ended.
  private func run(_ task: RuleTask) throws -> String {
    let process = try make(task)
    if let memory, let program = process.executableURL {
      // A system without such a limit runs the program without one.
      process.arguments =
        ["-c", "ulimit -v \"$0\" 2>/dev/null; exec \"$@\"", "\(memory / 1_024)", program.path]
        + (process.arguments ?? [])
      process.executableURL = URL(filePath: "/bin/sh")
    }
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    guard process.terminationReason == .uncaughtSignal else {
      return "that it ended with status \(status)"
    }
    let name = strsignal(status).map { " (\(String(cString: $0)))" } ?? ""
    return "that it ended by signal \(status)\(name)"
  }
}

extension ConformanceRun {
  /// Tests all rules that apply in other processes, so that no store ends the run.
  ///
  /// A rule in which a process ends or never returns fails, and the next begins in a new process.
  ///
  /// - Parameters:
  ///   - isChosen: The rules to test, by default all; the report shows the others as skipped.
  ///   - memory: The number of bytes that a process may use, or `nil` for no limit; by default what
  ///     the machine has.
  ///   - process: A function that returns a process, ready to be run, that performs a task on the
  ///     same run.
  /// - Returns: The report with the result of each rule.
  /// - Throws: The errors of starting a process, and the store's error if reading its capabilities fails
  ///   after it saved a row.
  public func report(
    _ isChosen: (Rule) -> Bool = { _ in true },
    memory: UInt64? = ProcessInfo.processInfo.physicalMemory,
    inProcesses process: @escaping (RuleTask) throws -> Process
  ) throws -> ConformanceReport {
    let processes = RuleProcesses(memory: memory, process)
    let first = try processes.trials(of: [RuleTask.beginning])[RuleTask.beginning]
    let start = first?.violation?.violation(of: nil)
    let tested = try start == nil ? rulesThatApply().filter(isChosen) : []
    let trials = try processes.trials(of: tested.map(\.id))
    return try report(isChosen, { _ in }, start) { rule in
      let missing = RuleTask.Violation(
        subject: "the processes",
        expected: "to test the rule",
        found: "no result",
        requests: []
      )
      let trial = trials[rule.id] ?? RuleTask.Trial(violation: missing)
      return result(of: rule, trial.violation?.violation(of: rule), .seconds(trial.seconds))
    }
  }
}
