/// A parsed command line, checked against the declarations.
package struct Invocation: Sendable {
  /// The command and those that contain it, the outermost first.
  let path: [Command]
  let environment: [String: String]
  var values: [String: [String]] = [:]
  var words: [String] = []

  /// Whether a flag or an option is on the command line.
  package func isSet(_ option: Option) -> Bool {
    values[option.name] != nil
  }

  /// Returns the value of an option: from the command line, the environment or the declared
  /// default.
  package func text(_ option: Option) -> String? {
    values[option.name]?.last ?? environmentValue(of: option) ?? option.defaultValue
  }

  /// Returns all values of an option that may be given more than once.
  package func texts(_ option: Option) -> [String] {
    values[option.name] ?? text(option).map { [$0] } ?? []
  }

  /// Returns the value of a required option.
  ///
  /// - Throws: ``UsageError`` if the command line, the environment and the declaration have no
  ///   value.
  package func required(_ option: Option) throws -> String {
    guard let text = text(option) else { throw Self.missing(option) }
    return text
  }

  /// Returns the value of an option as an integer.
  ///
  /// - Throws: ``UsageError`` if the value is not an integer or is outside the range.
  package func integer(_ option: Option, in range: ClosedRange<Int> = 0...Int.max) throws -> Int? {
    guard let text = text(option) else { return nil }
    guard let number = Int(text) else {
      throw UsageError("'--\(option.name)' takes an integer, not '\(text)'")
    }
    guard range.contains(number) else {
      let limit =
        number < range.lowerBound ? "at least \(range.lowerBound)" : "at most \(range.upperBound)"
      throw UsageError("'--\(option.name)' takes an integer of \(limit), not \(text)")
    }
    return number
  }

  /// Returns the word of an argument that takes one.
  package func text(_ argument: Argument) -> String? {
    texts(argument).first
  }

  /// Returns the word of a required argument.
  ///
  /// - Throws: ``UsageError`` if the command line has no word for it.
  package func required(_ argument: Argument) throws -> String {
    guard let text = text(argument) else { throw Self.missing(argument) }
    return text
  }

  /// Returns all words of an argument.
  package func texts(_ argument: Argument) -> [String] {
    guard
      let declared = path.last?.arguments,
      let index = declared.firstIndex(where: { $0.name == argument.name }),
      index < words.count
    else { return [] }
    return argument.takesAllWords ? Array(words[index...]) : [words[index]]
  }

  func environmentValue(of option: Option) -> String? {
    guard let variable = option.environment, let value = environment[variable] else { return nil }
    // In shells, an empty variable is a way to unset it for a single command.
    return value.isEmpty ? nil : value
  }

  static func missing(_ option: Option) -> UsageError {
    let other = option.environment.map { " or the environment variable \($0)" } ?? ""
    return UsageError("missing option '--\(option.name) \(option.value ?? "")'\(other)")
  }

  static func missing(_ argument: Argument) -> UsageError {
    UsageError("missing argument \(argument.name)")
  }
}
