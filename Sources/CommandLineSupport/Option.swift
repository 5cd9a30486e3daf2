/// A declared word that begins with dashes, with or without a value after it.
///
/// Declare an option once, list it in a ``Command``, and read it from the ``Invocation`` by the
/// same declaration:
///
/// ```swift
/// let limit = Option("limit", value: "N", "Stop after N rows.")
/// let command = Command("import", "Reads the files.", options: [limit]) { invocation, _ in
///   let rows = try invocation.integer(limit)
/// }
/// ```
package struct Option: Sendable {
  /// The long name without dashes.
  package let name: String
  /// The one-letter name, if there is one.
  package let short: Character?
  /// The name of the value in the help text, or `nil` for a flag.
  package let value: String?
  /// One sentence for the help text.
  package let summary: String
  /// The values that are allowed; any value when empty.
  package let choices: [String]
  package let defaultValue: String?
  /// The environment variable that is read when the option is not given.
  package let environment: String?
  /// Whether a command line without a value is an error.
  package let isRequired: Bool
  /// Whether the option may be given more than once.
  package let isRepeatable: Bool
  /// Whether the value may begin with a dash, as in `--sort -name`.
  package let takesDashes: Bool

  /// Declares an option with a value; ``flag(_:short:_:)`` declares one without.
  package init(
    _ name: String,
    short: Character? = nil,
    value: String?,
    _ summary: String,
    choices: [String] = [],
    default defaultValue: String? = nil,
    environment: String? = nil,
    isRequired: Bool = false,
    isRepeatable: Bool = false,
    takesDashes: Bool = false
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.summary = summary
    self.choices = choices
    self.defaultValue = defaultValue
    self.environment = environment
    self.isRequired = isRequired
    self.isRepeatable = isRepeatable
    self.takesDashes = takesDashes
  }

  /// Declares an option without a value, which is either present or not.
  package static func flag(_ name: String, short: Character? = nil, _ summary: String) -> Option {
    Option(name, short: short, value: nil, summary, isRepeatable: true)
  }

  static let help = flag("help", short: "h", "Show this help.")
  static let version = flag("version", "Show the version.")

  var isFlag: Bool { value == nil }
}
