import CommandLineSupport
import Testing

@Suite("UsageError")
struct UsageErrorTests {
  /// An invalid command line, and the program's message.
  struct Sample: Sendable, CustomTestStringConvertible {
    let words: [String]
    let sentence: String
    let advice: String
    var testDescription: String { words.joined(separator: " ") }

    init(_ words: String, _ sentence: String, _ advice: String = "sample import") {
      self.words = words.split(separator: " ").map(String.init)
      self.sentence = sentence
      self.advice = advice
    }
  }

  static let samples = [
    Sample("", "missing command; one of import, move, show, schema", "sample"),
    Sample("imprt x", "unknown command 'imprt'; did you mean 'import'?", "sample"),
    Sample("imp x", "unknown command 'imp'; did you mean 'import'?", "sample"),
    Sample("zzz", "unknown command 'zzz'", "sample"),
    Sample("schema", "missing command; one of lock, fail", "sample schema"),
    Sample("schema lokc", "unknown command 'lokc'; did you mean 'lock'?", "sample schema"),
    Sample("import --stroe u x", "unknown option '--stroe'; did you mean '--store'?"),
    Sample("import --limt=5 x", "unknown option '--limt'; did you mean '--limit'?"),
    Sample("import --quux x", "unknown option '--quux'"),
    Sample("--limit 5 import x", "unknown option '--limit'", "sample"),
    Sample("import -x y", "unknown option '-x'"),
    Sample("import -fx y", "unknown option '-x'"),
    Sample("import x --store", "'--store' needs a value: --store URL"),
    Sample("import x --store --force", "'--store' needs a value: --store URL"),
    Sample("import x --store -f", "'--store' needs a value: --store URL"),
    Sample("import x --store --", "'--store' needs a value: --store URL"),
    Sample("import x -s", "'-s' needs a value: -s URL"),
    Sample("import x --force=yes", "'--force' takes no value"),
    Sample("import x -f=yes", "'-f' takes no value"),
    Sample("import x --store a --store b", "'--store' is given twice"),
    Sample("import x --format yaml", "'--format' takes one of text, json, not 'yaml'"),
    Sample("import x --limit many", "'--limit' takes an integer, not 'many'"),
    Sample("import x --limit -5", "'--limit' takes an integer of at least 0, not -5"),
    Sample("import", "missing argument FILE"),
    Sample("show a b", "unexpected argument 'b'", "sample show"),
    Sample("move", "missing option '--target URL'", "sample move"),
    Sample("move x --target t", "unexpected argument 'x'", "sample move"),
    Sample("schema lock", "missing argument NAME", "sample schema lock"),
  ]

  @Test(arguments: samples)
  func `the error names the invalid word and refers to the help`(_ sample: Sample) async {
    let result = await SampleProgram.run(sample.words)
    #expect(result.code == .usage)
    #expect(
      result.errors == "sample: \(sample.sentence)\nSee '\(sample.advice) --help'.\n"
    )
  }

  @Test func `exit codes match sysexits`() {
    #expect(ExitCode.success.rawValue == 0)
    #expect(ExitCode.failure.rawValue == 1)
    #expect(ExitCode.usage.rawValue == 64)
  }
}
