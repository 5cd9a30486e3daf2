import Foundation

/// The program `storeworker`: does to a store what a script says, and tells what it was promised.
///
/// The fault harness (`Scripts/test-faults`) runs it, harms it, and has it verify what is left.
@main
enum StoreWorker {
  private static let usage = """
    storeworker run URL SCRIPT [--from N] [--count C] [--after-failure retry|stop|wait]
                   [--beside checkpoints|reads]
    storeworker verify URL SCRIPT ALLOWED
    storeworker serve
    storeworker talk URL
    \(GroupedSteps.usage)
    \(Following.usage)
    \(TrafficCommand.usage)
    \(Tenants.usage)
    \(DamageCommands.usage)
    """

  static func main() {
    do {
      exit(try perform(Array(CommandLine.arguments.dropFirst())))
    } catch {
      Output.complain(error)
      try? FileHandle.standardError.write(contentsOf: Data((usage + "\n").utf8))
      exit(64)
    }
  }

  private static func perform(_ arguments: [String]) throws -> Int32 {
    switch (arguments.first, arguments.count) {
    case ("run", 3...): return try run(arguments)
    case ("verify", 4):
      return say(try verdict(arguments[1], arguments[2], arguments[3]))
    case ("serve", 1):
      while let line = readLine() {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw WorkerError.usage("'\(line)' is no request") }
        _ = say(try verdict(parts[0], parts[1], parts[2]))
      }
      return 0
    case ("traffic", 2...): return try TrafficCommand.perform(arguments.dropFirst())
    case ("talk", 2):
      var talk = Talk(arguments[1])
      talk()
      return 0
    case ("group", 4):
      try GroupedSteps(arguments[1], Script(arguments[2]), first: Int(arguments[3]) ?? 0)()
      return 0
    case ("follow", 4...):
      var following = try Following(arguments[1], arguments[2])
      return try following(arguments.dropFirst(3))
    case ("tenants", 4...):
      let count = Int(arguments[2]) ?? 0
      try Tenants(arguments[1], count: count)(arguments.dropFirst(3))
      return 0
    case ("mutate", 2...): return try DamageCommands.mutate(arguments)
    case ("heap", 2...): return try DamageCommands.heap(arguments)
    case ("exhibit", 2...3): return try Survey.exhibit(arguments[1], isOpen: arguments.count == 3)
    case ("survey", 1): return try Survey.perform()
    default: throw WorkerError.usage("the arguments are not understood")
    }
  }

  private static func run(_ arguments: [String]) throws -> Int32 {
    let script = try Script(arguments[2])
    var first = 1
    var count: Int?
    var afterFailure = Run.AfterFailure.retry
    var beside: Run.Beside?
    var rest = arguments.dropFirst(3)
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw WorkerError.usage("\(option) needs a value") }
      switch (option, Int(value), Run.AfterFailure(rawValue: value)) {
      case ("--from", let number?, _) where number > 0: first = number
      case ("--count", let number?, _) where number >= 0: count = number
      case ("--after-failure", _, let choice?): afterFailure = choice
      case ("--beside", _, _) where Run.Beside(rawValue: value) != nil:
        beside = Run.Beside(rawValue: value)
      default: throw WorkerError.usage("'\(option) \(value)' is not understood")
      }
    }
    let end = count.map { first + $0 } ?? script.count.map { max(first, $0 + 1) } ?? Int.max
    var run = Run(arguments[1], script, first..<end, afterFailure, beside: beside)
    return run()
  }

  private static func verdict(_ url: String, _ script: String, _ allowed: String) throws -> String {
    try Verification(url, Script(script), allowed: allowed).verdict()
  }

  /// Prints a verdict.
  ///
  /// - Returns: The exit code for it.
  private static func say(_ verdict: String) -> Int32 {
    Output.line(verdict)
    return verdict.hasPrefix("OK") ? 0 : 1
  }
}
