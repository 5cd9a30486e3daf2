import CommandLineSupport
import Foundation
import OpenSwiftData
import PostgreSQLStore
import StoreConformance

/// `storectl conformance`: checks new stores of a kind against the store contract.
enum ConformanceCommand {
  private static let store = Option(
    "store",
    value: "URL",
    "The kind of store, as the argument URL."
  )
  private static let url = Argument(
    "URL",
    "The kind of store, as an unused URL; test stores are created beside it and removed. On a "
      + "server, they are schemas whose names begin with that of the URL.",
    count: .optional
  )
  private static let format = Option(
    "format",
    value: "FORM",
    "The format of the report.",
    choices: ["text", "markdown", "json", "junit"],
    default: "text"
  )
  private static let rule = Option(
    "rule",
    value: "NUMBER",
    "Test only this rule, such as ATOM-003; repeatable.",
    isRepeatable: true
  )
  private static let seed = Option(
    "seed",
    value: "N",
    "The seed of random numbers.",
    default: "0"
  )
  private static let regressions = Option(
    "regressions",
    value: "FILE",
    "A file of rules and seeds that once failed; they are tested first."
  )
  private static let full = Option.flag("full", "Test all sizes, as before a release.")
  private static let task = Option(
    "task",
    value: "TASK",
    "Run as another process of the command; used by the command itself."
  )

  static let command = Command(
    "conformance",
    "Tests new stores of a kind against the rules of the store contract.",
    discussion: """
      Exits with status 1 if a rule is broken. The rules are in
      Documentation/StoreContract.md.
      """,
    options: [store, format, rule, seed, regressions, full, task],
    arguments: [url]
  ) { invocation, console in
    let named = try OpenedStore.named(url, or: store, invocation)
    let argument = invocation.text(task)
    let rules = argument.flatMap(RuleTask.init(argument:))
    if rules == nil, let task = try argument.map(ProcessTask.init) {
      return console.write(try task.run(on: OpenedStore(named, forWriting: true).store))
    }
    // The locations of test stores are made from the URL's parts, so an error in it comes first.
    _ = try StoreScheme.configuration(for: named)
    let run = try ConformanceRun(
      storesLike: named,
      settings: try settings(invocation),
      makeConfiguration: { try StoreScheme.configuration(for: $0) },
      startProcess: starter,
      removeStore: { configuration in
        guard let postgres = configuration as? PostgreSQLStoreConfiguration else { return }
        try PostgreSQLStore.remove(postgres)
      }
    )
    let wanted = Set(invocation.texts(rule))
    let unknown = wanted.subtracting(Rule.all.map(\.id))
    if let unknown = unknown.min() {
      throw UsageError("the suite has no rule \(unknown) of its own")
    }
    if let rules { return try rules.perform(run) }
    let isWanted = { (rule: Rule) in wanted.isEmpty || wanted.contains(rule.id) }
    let report =
      if let program {
        try run.report(isWanted, inProcesses: { process(program, $0) })
      } else {
        try run.report(isWanted)
      }
    console.write(try text(of: report, try invocation.required(format)))
    guard report.isConforming else {
      throw CommandFailure(
        report.start == nil
          ? "the store breaks rules: \(report.failures.count)"
          : "the store cannot save and fetch a row yet"
      )
    }
  }

  /// Returns a process that tests rules, with the arguments of this one.
  private static func process(_ program: URL, _ task: RuleTask) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = CommandLine.arguments.dropFirst() + ["--task", task.argument]
    return process
  }

  /// This program, unless the command runs in another.
  private static var program: URL? {
    Bundle.main.executableURL.flatMap { $0.lastPathComponent == "storectl" ? $0 : nil }
  }

  /// Starts this program again, unless the command runs in another.
  private static var starter: ConformanceRun.ProcessStarter? {
    guard let program else { return nil }
    return { url, task in
      let (process, output) = (Process(), Pipe())
      process.executableURL = program
      process.arguments = ["conformance", url, "--task", task.argument]
      process.standardOutput = output
      try process.run()
      return {
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
          throw CommandFailure("the other process exited with status \(process.terminationStatus)")
        }
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  private static func settings(_ invocation: Invocation) throws -> ConformanceSettings {
    let file = try invocation.text(regressions).map {
      String(decoding: try Data(contentsOf: URL(filePath: $0)), as: UTF8.self)
    }
    return ConformanceSettings(
      seed: UInt64(try invocation.integer(seed) ?? 0),
      budget: invocation.isSet(full) ? .full : .short,
      regressions: try file.map(RegressionSeeds.init) ?? RegressionSeeds()
    )
  }

  private static func text(of report: ConformanceReport, _ format: String) throws -> String {
    switch format {
    case "markdown": report.markdown
    case "json": try report.json()
    case "junit": report.junit
    default: report.text
    }
  }
}
