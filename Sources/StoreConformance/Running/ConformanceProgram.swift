import Foundation
import StoreProtocol

/// A program of an author that tests the rules on a store, each in a process that may end.
///
/// ```swift
/// @main struct Check {
///   static func main() throws { exit(try ConformanceProgram(ConformanceRun(Fixture())).run()) }
/// }
/// ```
///
/// It starts itself again to test rules. Its arguments are the numbers of rules, or none for all.
public struct ConformanceProgram: Sendable {
  private let conformance: ConformanceRun
  private let arguments: [String]

  /// Creates a program.
  ///
  /// - Parameters:
  ///   - conformance: The run.
  ///   - arguments: The program and its arguments, by default those of this process.
  public init(_ conformance: ConformanceRun, arguments: [String] = CommandLine.arguments) {
    self.conformance = conformance
    self.arguments = arguments
  }

  /// Tests the rules and prints the report.
  ///
  /// - Returns: The exit status: 0 if the store conforms, and 1 otherwise.
  /// - Throws: The errors of starting a process, and those of
  ///   ``ConformanceRun/report(_:memory:inProcesses:)``.
  public func run() throws -> Int32 {
    if let task = arguments.last.flatMap(RuleTask.init(argument:)) {
      try task.perform(conformance)
      return 0
    }
    let chosen = Set(arguments.dropFirst())
    let program = Bundle.main.executableURL ?? URL(filePath: arguments.first ?? "")
    let report = try conformance.report { rule in
      chosen.isEmpty || chosen.contains(rule.id)
    } inProcesses: { task in
      let process = Process()
      process.executableURL = program
      process.arguments = [task.argument]
      return process
    }
    print(report.text)
    return report.isConforming ? 0 : 1
  }
}
