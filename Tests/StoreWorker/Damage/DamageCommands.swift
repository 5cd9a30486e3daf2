import Foundation

/// The commands that damage stores.
enum DamageCommands {
  static let usage = """
    storeworker mutate URL --seed S --count C [--from N]
    storeworker heap URL --count C
    storeworker exhibit URL [open]
    storeworker survey
    """

  /// Opens mutants one after the other, with a line for each: its number and what came of it.
  ///
  /// What stops the process stopped it at the number after that of the last line.
  static func mutate(_ arguments: [String]) throws -> Int32 {
    let options = try options(arguments.dropFirst(2))
    let store = try DamagedStore(arguments[1])
    let exhibits = try Exhibits(in: store)
    let first = options["from"] ?? 1
    for number in first..<first + (options["count"] ?? 1) {
      // A mutant that hangs is killed by the alarm.
      alarm(20)
      let mutant = Mutant(
        number,
        seed: UInt64(options["seed"] ?? 1),
        of: exhibits,
        kind: store.kind
      )
      let verdict = try Trial(store: store, mutant: mutant).verdict()
      let story = if case .wrong = verdict { "; \(mutant.story)" } else { "" }
      Output.line("\(number) \(verdict.line)\(story)")
      try checkMemory()
    }
    alarm(0)
    try store.clear()
    return 0
  }

  /// Uses a SQLite store below one ceiling of its memory after the other.
  static func heap(_ arguments: [String]) throws -> Int32 {
    let options = try options(arguments.dropFirst(2))
    try HeapTrial.run(arguments[1], count: options["count"] ?? 200)
    return 0
  }

  /// The most memory that opening any mutant may take, in kibibytes.
  private static let memory = 512 << 10

  private static func checkMemory() throws {
    let peak = try peak()
    guard peak <= memory else {
      Output.line("MEMORY \(peak) KiB")
      throw WorkerError.wrong("opening a mutant took \(peak) KiB")
    }
  }

  /// The most memory that this process has had, in kibibytes.
  ///
  /// Not what `getrusage` says: there a process begins with the peak of the one that started it.
  static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let peak = line?.split(whereSeparator: \.isWhitespace).compactMap({ Int($0) }).first
    else {
      throw WorkerError.wrong("the system does not say how much memory the process has had")
    }
    return peak
  }

  /// Options of the form `--name number`.
  private static func options(_ arguments: ArraySlice<String>) throws -> [String: Int] {
    var options: [String: Int] = [:]
    var rest = arguments
    while let name = rest.popFirst() {
      guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 0,
        ["--seed", "--count", "--from"].contains(name)
      else { throw WorkerError.usage("'\(name)' is not understood") }
      options[String(name.dropFirst(2))] = number
    }
    return options
  }
}
