/// Parses the words of a command line by the declarations.
struct InvocationParser {
  enum Outcome {
    case run(Invocation, Command.Action)
    case help([Command])
    case version(String)
  }

  private enum Interruption: Error {
    case help
    case version
  }

  private var invocation: Invocation
  private var path: [Command]
  private var remaining: ArraySlice<String>

  init(_ program: Command, words: [String], environment: [String: String]) {
    path = [program]
    remaining = words[...]
    invocation = Invocation(path: [program], environment: environment)
  }

  /// Parses all words.
  ///
  /// - Throws: ``UsageError`` for the first word that matches no declaration.
  mutating func parse() throws -> Outcome {
    do {
      try readWords()
    } catch Interruption.help {
      return .help(path)
    } catch Interruption.version {
      return .version(path[0].version ?? "")
    }
    guard let action = command.action else { throw missingCommand() }
    invocation = Invocation(
      path: path,
      environment: invocation.environment,
      values: invocation.values,
      words: invocation.words
    )
    try checkOptions()
    try checkArguments()
    return .run(invocation, action)
  }

  /// The commands named by the words so far.
  var commands: [Command] { path }

  private var command: Command { path[path.count - 1] }

  private mutating func readWords() throws {
    while let word = remaining.popFirst() {
      if word == "--" {
        try remaining.forEach { try readArgument($0) }
        return
      }
      if isForStandardCommand(word), let standard { path.append(standard) }
      if word.hasPrefix("--") {
        try readLong(word.dropFirst(2))
      } else if Self.isOption(word) {
        try readShort(word.dropFirst())
      } else if command.commands.isEmpty {
        try readArgument(word)
      } else {
        try readCommand(word)
      }
    }
  }

  /// The inner command that is meant if the words name none.
  private var standard: Command? {
    command.standardCommand.flatMap { name in command.commands.first { $0.name == name } }
  }

  /// Whether a word is neither a command, nor nearly one, nor an option of the commands read so far.
  private func isForStandardCommand(_ word: String) -> Bool {
    guard standard != nil else { return false }
    if word.hasPrefix("--") {
      let name = word.dropFirst(2).prefix { $0 != "=" }
      return !declaredOptions.contains { $0.name == name }
    }
    if Self.isOption(word) {
      return !declaredOptions.contains { $0.short == word.dropFirst().first }
    }
    return word != "help" && NearestName.of(word, among: command.commands.map(\.name)) == nil
  }

  /// A single dash is a name for standard input, and a dash before a digit a negative number.
  private static func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let next = word.dropFirst().first else { return false }
    return !next.isNumber && next != "."
  }

  private mutating func readCommand(_ word: String) throws {
    if word == "help" {
      try readHelp()
      throw Interruption.help
    }
    guard let next = command.commands.first(where: { $0.name == word }) else {
      let names = command.commands.map(\.name)
      throw UsageError("unknown command '\(word)'" + Self.suggestion(for: word, among: names))
    }
    path.append(next)
  }

  private mutating func readHelp() throws {
    while let word = remaining.popFirst(), !command.commands.isEmpty {
      try readCommand(word)
    }
  }

  private mutating func readArgument(_ word: String) throws {
    let declared = command.arguments
    guard declared.last?.takesAllWords == true || invocation.words.count < declared.count else {
      throw UsageError("unexpected argument '\(word)'")
    }
    invocation.words.append(word)
  }

  private mutating func readLong(_ word: Substring) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = declaredOptions.first(where: { $0.name == name }) else {
      let names = declaredOptions.map(\.name)
      let hint = Self.suggestion(for: name, among: names, prefix: "--")
      throw UsageError("unknown option '--\(name)'" + hint)
    }
    try take(option, attached: parts.count > 1 ? String(parts[1]) : nil, written: "--\(name)")
  }

  /// Parses `-v`, several flags in one word, or a letter with its value attached.
  private mutating func readShort(_ word: Substring) throws {
    var letters = word
    while let letter = letters.popFirst() {
      guard let option = declaredOptions.first(where: { $0.short == letter }) else {
        throw UsageError("unknown option '-\(letter)'")
      }
      if option.isFlag, letters.first != "=" {
        try take(option, attached: nil, written: "-\(letter)")
        continue
      }
      let attached = letters.first == "=" ? letters.dropFirst() : letters
      let isAttached = !letters.isEmpty
      try take(option, attached: isAttached ? String(attached) : nil, written: "-\(letter)")
      return
    }
  }

  private mutating func take(_ option: Option, attached: String?, written: String) throws {
    if option.isFlag {
      guard attached == nil else { throw UsageError("'\(written)' takes no value") }
      if option.name == Option.help.name { throw Interruption.help }
      if option.name == Option.version.name, path[0].version != nil { throw Interruption.version }
      invocation.values[option.name, default: []].append("")
      return
    }
    guard let value = attached ?? nextValue(of: option) else {
      throw UsageError("'\(written)' needs a value: \(written) \(option.value ?? "")")
    }
    guard option.isRepeatable || invocation.values[option.name] == nil else {
      throw UsageError("'\(written)' is given twice")
    }
    try check(value, of: option)
    invocation.values[option.name, default: []].append(value)
  }

  private mutating func nextValue(of option: Option) -> String? {
    guard let next = remaining.first, !next.hasPrefix("--") else { return nil }
    guard option.takesDashes || !Self.isOption(next) else { return nil }
    remaining.removeFirst()
    return next
  }

  private func check(_ value: String, of option: Option) throws {
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let allowed = option.choices.joined(separator: ", ")
      throw UsageError("'--\(option.name)' takes one of \(allowed), not '\(value)'")
    }
  }
}

extension InvocationParser {
  private var declaredOptions: [Option] {
    path.declaredOptions
  }

  private func missingCommand() -> UsageError {
    UsageError("missing command; one of " + command.commands.map(\.name).joined(separator: ", "))
  }

  private func checkOptions() throws {
    for option in declaredOptions {
      if invocation.values[option.name] == nil,
        let value = invocation.environmentValue(of: option)
      {
        try check(value, of: option)
      }
      if option.isRequired, invocation.text(option) == nil { throw Invocation.missing(option) }
    }
  }

  private func checkArguments() throws {
    let required = command.arguments.prefix { $0.isRequired }
    guard invocation.words.count >= required.count else {
      throw Invocation.missing(required[invocation.words.count])
    }
  }

  static func suggestion(for word: String, among names: [String], prefix: String = "") -> String {
    guard let nearest = NearestName.of(word, among: names) else { return "" }
    return "; did you mean '\(prefix)\(nearest)'?"
  }
}

extension [Command] {
  /// The options that a command accepts: its own first, then those of the containing commands.
  var declaredOptions: [Option] {
    var seen: Set<String> = []
    let own = reversed().flatMap(\.options)
    let version = self[0].version == nil ? [] : [Option.version]
    return (own + version + [Option.help]).filter { seen.insert($0.name).inserted }
  }
}
