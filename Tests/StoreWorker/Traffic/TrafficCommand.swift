import Foundation

/// The part of the command line that begins with `traffic`.
enum TrafficCommand {
  static let usage = """
    storeworker traffic URL [--process P] [--saves N] [--seed S] [--from K] [--lists L]
                        [--session OPERATIONS] [--padding CHARACTERS]
                        [--seconds T] [--reader 0|1] [--pause MILLISECONDS] [--threads N]
    storeworker traffic URL prepare|check [--lists L]
    """

  /// Does what the arguments after `traffic` say.
  ///
  /// - Returns: The exit code.
  static func perform(_ arguments: ArraySlice<String>) throws -> Int32 {
    var rest = arguments
    var options = TrafficOptions(url: rest.popFirst() ?? "")
    let action = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
    if action != nil { rest.removeFirst() }
    while let option = rest.popFirst() { try read(option, rest.popFirst(), into: &options) }
    switch action {
    case nil where options.threads > 1: return try TrafficThreads.run(options)
    case nil:
      var run = TrafficRun(options)
      return run()
    case "prepare": try TrafficSession(options).prepare(lists: options.lists)
    case "check": try TrafficCheck(options)()
    case let other?: throw WorkerError.usage("'\(other)' is not understood")
    }
    return 0
  }

  private static func read(
    _ option: String,
    _ text: String?,
    into options: inout TrafficOptions
  ) throws {
    guard let value = text.flatMap({ Int($0) }), value >= 0 else {
      throw WorkerError.usage("\(option) needs a number")
    }
    switch option {
    case "--process" where value < 64: options.process = value
    case "--saves": options.saves = value
    case "--seed": options.seed = UInt64(value)
    case "--from": options.from = value
    case "--lists" where value > 3: options.lists = value
    case "--session": options.session = value
    case "--padding": options.padding = value
    case "--seconds" where value <= 86_400: options.seconds = value
    case "--pause" where value <= 60_000: options.pause = value
    case "--threads" where 1...64 ~= value: options.threads = value
    case "--reader" where value < 2: options.isReader = value == 1
    default: throw WorkerError.usage("'\(option) \(value)' is not understood")
    }
  }
}
