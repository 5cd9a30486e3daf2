import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreConformance

/// Stores that end the process that tests them, or never return from a request.
@Suite struct RuleProcessesTests {
  /// Returns processes that run a script of the shell, which gets the file of the task as `$1`.
  private func processes(_ script: String, memory: UInt64? = nil) -> RuleProcesses {
    RuleProcesses(memory: memory) { task in
      let process = Process()
      process.standardError = FileHandle.nullDevice
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", script, "sh", task.file.path]
      return process
    }
  }

  @Test func `a rule in which the process ends is broken, and the next has a new process`() throws {
    // Each process tests one rule, and ends in the second.
    let script = """
      rule=$(grep -o '[A-Z]*-[0-9]*' "$1" | head -1)
      other=$(grep -o '[A-Z]*-[0-9]*' "$1" | head -2 | tail -1)
      echo "{\\"begun\\":\\"$rule\\"}" >> "$1"
      echo "{\\"trial\\":{\\"seconds\\":1}}" >> "$1"
      if [ "$rule" != "$other" ]; then echo "{\\"begun\\":\\"$other\\"}" >> "$1"; kill -KILL $$; fi
      """
    let trials = try processes(script).trials(of: ["LIFE-001", "LIFE-002", "LIFE-003"])
    #expect(trials["LIFE-001"]?.violation == nil && trials["LIFE-001"]?.seconds == 1)
    #expect(trials["LIFE-002"]?.violation?.found.contains("signal 9") == true)
    #expect(trials["LIFE-003"] != nil && trials["LIFE-003"]?.violation == nil)
  }

  @Test func `a process that tests no rule breaks each of them`() throws {
    let trials = try processes("exit 7").trials(of: ["LIFE-001", "LIFE-002"])
    #expect(trials.count == 2)
    for trial in trials.values { #expect(trial.violation?.found == "that it ended with status 7") }
  }

  @Test func `a process that eats the memory ends at its limit`() throws {
    // The shell keeps what it reads: more than the limit.
    let script = """
      echo '{"begun":"LIFE-001"}' >> "$1"
      x=$(head -c 100000000 /dev/zero | tr '\\0' a)
      echo '{"trial":{"seconds":1}}' >> "$1"
      """
    let trials = try processes(script, memory: 40 << 20).trials(of: ["LIFE-001"])
    #expect(trials["LIFE-001"]?.violation?.subject == "the process that tested the rule")
  }

  /// A run on stores of which one request does something else.
  private static func run(_ erase: @escaping @Sendable () -> Void) -> ConformanceRun {
    ConformanceRun(
      AlteredFixture(Fixtures.Memory()) {
        var alterations = Alterations()
        alterations.erase = { store in
          erase()
          try store.erase()
        }
        return alterations
      },
      settings: ConformanceSettings(patience: .milliseconds(200))
    )
  }

  @Test func `what a store broke that ends the process is in the file`() async throws {
    let task = try RuleTask(["LIFE-001", "LIFE-006", "LIFE-008"])
    defer { task.end() }
    await #expect(processExitsWith: .signal(SIGABRT)) { [argument = task.argument as String] in
      try RuleTask(argument: argument)?.perform(RuleProcessesTests.run { abort() })
    }
    let (trials, unfinished) = try task.results()
    #expect(trials.map(\.rule) == ["LIFE-001"] && trials[0].trial.violation == nil)
    #expect(unfinished == "LIFE-006")
  }

  @Test func `a process ends after a rule whose check never returns`() async throws {
    let task = try RuleTask(["LIFE-006", "LIFE-001"])
    defer { task.end() }
    let status = RuleTask.statusWithoutEnd
    await #expect(processExitsWith: .exitCode(status)) { [argument = task.argument as String] in
      try RuleTask(argument: argument)?
        .perform(RuleProcessesTests.run { DispatchSemaphore(value: 0).wait() })
    }
    let (trials, unfinished) = try task.results()
    #expect(trials.map(\.rule) == ["LIFE-006"] && unfinished == nil)
    #expect(trials[0].trial.violation?.found.contains("no result after") == true)
  }

  @Test func `a report is made of what processes found`() throws {
    let run = Self.run {}
    // In place of a process, this one performs the task before it starts another.
    let report = try run.report({ ["LIFE-001", "LIFE-006"].contains($0.id) }, memory: nil) { task in
      try task.perform(run)
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", ":"]
      return process
    }
    #expect(report.isConforming)
    #expect(report.results.filter(\.wasTried).map(\.rule.id) == ["LIFE-001", "LIFE-006"])
  }

  @Test func `other texts are no task`() {
    #expect(RuleTask(argument: "7-1") == nil)
  }
}

@Suite struct UnfinishedRulesTests {
  @Test func `a rule in which a process ended is known to the next run, once`() throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", ":"]
    try process.run()
    process.waitUntilExit()
    let rules = UnfinishedRules(of: "A/Store", in: folder.url)
    let end = rules.begin("LIFE-001")
    let marks = folder.url.appending(path: "A Store")
    let mark = marks.appending(path: "\(process.processIdentifier) ATOM-003 x")
    try Data().write(to: mark)
    // This process still runs, so the rule that it has begun is none of them.
    #expect(rules.takeEnded() == ["ATOM-003"])
    #expect(rules.takeEnded() == [])
    end()
    #expect(try FileManager.default.contentsOfDirectory(atPath: marks.path) == [])
  }
}
