import CommandLineSupport

/// A program with every kind of declaration; its commands print what they were given.
enum SampleProgram {
  static let store = Option(
    "store",
    short: "s",
    value: "URL",
    "The store.",
    environment: "SAMPLE_URL"
  )
  static let limit = Option("limit", short: "l", value: "N", "Stop after N rows.")
  static let format = Option(
    "format",
    value: "NAME",
    "The form.",
    choices: ["text", "json"],
    default: "text"
  )
  static let tag = Option("tag", value: "WORD", "A word to find it by.", isRepeatable: true)
  static let force = Option.flag("force", short: "f", "Ask nothing.")
  static let verbose = Option.flag("verbose", short: "v", "Say more.")
  static let order = Option("order", value: "NAME", "The order.", takesDashes: true)
  static let target = Option("target", value: "URL", "Where to.", isRequired: true)
  static let source = Argument("FILE", "The file to read.")
  static let others = Argument("OTHER", "More files.", count: .any)
  static let place = Argument("PLACE", "A place.", count: .optional)
  static let names = Argument("NAME", "Names.", count: .many)

  static let program = Command(
    "sample",
    "Shows what a parser can do.",
    version: "1.2.3",
    options: [store, verbose],
    commands: [
      Command(
        "import",
        "Reads files.",
        options: [limit, format, tag, force],
        arguments: [source, others]
      ) { invocation, console in
        console.print("store=\(invocation.text(store) ?? "-")")
        console.print("limit=\(try invocation.integer(limit).map(String.init) ?? "-")")
        console.print("format=\(try invocation.required(format))")
        console.print("tags=\(invocation.texts(tag).joined(separator: "+"))")
        console.print("force=\(invocation.isSet(force)) verbose=\(invocation.isSet(verbose))")
        console.print("file=\(try invocation.required(source))")
        console.print("others=\(invocation.texts(others).joined(separator: "|"))")
      },
      Command("move", "Moves all.", options: [target]) { invocation, console in
        console.print("target=\(try invocation.required(target))")
      },
      Command("show", "Shows a place.", options: [order], arguments: [place]) {
        invocation,
        console in
        console.print("order=\(invocation.text(order) ?? "-")")
        console.print("place=\(invocation.text(place) ?? "-")")
      },
      Command(
        "schema",
        "Works on the schema.",
        commands: [
          Command("lock", "Locks it.", arguments: [names]) { invocation, console in
            console.print("names=\(invocation.texts(names).joined(separator: "|"))")
          },
          Command("fail", "Fails.") { _, _ in throw CommandFailure("it cannot be") },
        ],
        standardCommand: "lock"
      ),
    ]
  )

  /// What a run left behind.
  struct Result {
    let code: ExitCode
    let output: String
    let errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  static func run(_ words: [String], environment: [String: String] = [:]) async -> Result {
    let console = Console.recording()
    let code = await program.run(words, environment: environment, console: console)
    return Result(
      code: code,
      output: console.output.pendingText,
      errors: console.errors.pendingText
    )
  }
}
