import CommandLineSupport
import Testing

@Suite("Help text")
struct HelpTextTests {
  @Test func `a program's help lists its commands`() async {
    let result = await SampleProgram.run(["--help"])
    #expect(result.code == .success)
    #expect(
      result.output == """
        Shows what a parser can do.

        USAGE: sample [OPTIONS] COMMAND

        COMMANDS:
          import  Reads files.
          move    Moves all.
          show    Shows a place.
          schema  Works on the schema.

        OPTIONS:
          -s, --store URL  The store. Also read from SAMPLE_URL.
          -v, --verbose    Say more.
              --version    Show the version.
          -h, --help       Show this help.

        See 'sample COMMAND --help' for a command's arguments and options.

        """
    )
  }

  @Test func `a command's help lists its arguments, its options and inherited options`() async {
    let result = await SampleProgram.run(["import", "--help"])
    #expect(
      result.output == """
        Reads files.

        USAGE: sample import [OPTIONS] FILE [OTHER...]

        ARGUMENTS:
          FILE        The file to read.
          [OTHER...]  More files.

        OPTIONS:
          -l, --limit N      Stop after N rows.
              --format NAME  The form. One of: text, json. Default: text.
              --tag WORD     A word to find it by.
          -f, --force        Ask nothing.
          -s, --store URL    The store. Also read from SAMPLE_URL.
          -v, --verbose      Say more.
              --version      Show the version.
          -h, --help         Show this help.

        """
    )
  }

  @Test func `the usage line shows a required option`() async {
    let result = await SampleProgram.run(["move", "-h"])
    #expect(result.output.contains("USAGE: sample move --target URL [OPTIONS]\n"))
  }

  @Test(arguments: [
    ["help", "import"], ["import", "x", "-h"], ["import", "--limit", "1", "--help"],
  ])
  func `the help command and options among other arguments print help`(_ words: [String]) async {
    let result = await SampleProgram.run(words)
    #expect(result.code == .success)
    #expect(result.output.hasPrefix("Reads files.\n"))
  }

  @Test func `--help after two dashes is an argument`() async {
    let result = await SampleProgram.run(["import", "--", "--help"])
    #expect(result.lines.contains("file=--help"))
  }

  @Test func `long lines break between words`() async {
    let words = String(repeating: "word ", count: 40)
    let option = Option("name", value: "TEXT", words)
    let program = Command("p", "Does.", options: [option]) { _, _ in }
    let console = Console.recording()
    _ = await program.run(["--help"], environment: [:], console: console)
    let lines = console.output.pendingText.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.count { $0.contains("word") } > 2)
  }

  @Test func `a discussion is printed at the end`() async {
    let program = Command("p", "Does.", discussion: "EXAMPLES:\n  p now") { _, _ in }
    let console = Console.recording()
    _ = await program.run(["-h"], environment: [:], console: console)
    #expect(console.output.pendingText.hasSuffix("\n\nEXAMPLES:\n  p now\n"))
  }
}
