import CommandLineSupport
import Testing

@Suite("Command")
struct CommandTests {
  /// The command line's words, and a line that the command prints for them.
  struct Sample: Sendable, CustomTestStringConvertible {
    let words: [String]
    let line: String
    var testDescription: String { words.joined(separator: " ") }

    init(_ words: String, _ line: String) {
      self.words = words.split(separator: " ").map(String.init)
      self.line = line
    }
  }

  static let samples = [
    Sample("import x", "file=x"),
    Sample("import x", "store=-"),
    Sample("import x", "limit=-"),
    Sample("import x", "format=text"),
    Sample("import x", "force=false verbose=false"),
    Sample("import --store u x", "store=u"),
    Sample("import --store=u x", "store=u"),
    Sample("import --store=a=b x", "store=a=b"),
    Sample("import --store= x", "store="),
    Sample("--store u import x", "store=u"),
    Sample("import x --store u", "store=u"),
    Sample("import -s u x", "store=u"),
    Sample("import -su x", "store=u"),
    Sample("import -s=u x", "store=u"),
    Sample("import x --limit 5", "limit=5"),
    Sample("import x -l5", "limit=5"),
    Sample("import x --format json", "format=json"),
    Sample("import x --tag a --tag b", "tags=a+b"),
    Sample("import x -f", "force=true verbose=false"),
    Sample("import x -fv", "force=true verbose=true"),
    Sample("import x -fvl7", "limit=7"),
    Sample("import x -fl 7", "limit=7"),
    Sample("-v import x", "force=false verbose=true"),
    Sample("import x y z", "others=y|z"),
    Sample("import -- --limit -f", "file=--limit"),
    Sample("import -- --limit -f", "others=-f"),
    Sample("import x -- y -- z", "others=y|--|z"),
    Sample("import -", "file=-"),
    Sample("import -5 -.5", "file=-5"),
    Sample("import x --store -5", "store=-5"),
    Sample("import x --store -", "store=-"),
    Sample("show", "place=-"),
    Sample("show here", "place=here"),
    Sample("show --order -name", "order=-name"),
    Sample("show --order=-name here", "place=here"),
    Sample("schema lock a b", "names=a|b"),
    Sample("--store u schema lock a", "names=a"),
    Sample("schema a.json b", "names=a.json|b"),
    Sample("move --target t", "target=t"),
  ]

  @Test(arguments: samples)
  func `arguments and options are parsed to their values`(_ sample: Sample) async {
    let result = await SampleProgram.run(sample.words)
    #expect(result.code == .success)
    #expect(result.lines.contains(sample.line))
    #expect(result.errors.isEmpty)
  }

  @Test func `an environment variable sets an option that is not given`() async {
    let result = await SampleProgram.run(["import", "x"], environment: ["SAMPLE_URL": "env"])
    #expect(result.lines.contains("store=env"))
  }

  @Test func `the command line overrides the environment`() async {
    let words = ["import", "x", "--store", "given"]
    let result = await SampleProgram.run(words, environment: ["SAMPLE_URL": "env"])
    #expect(result.lines.contains("store=given"))
  }

  @Test func `an empty environment variable is ignored`() async {
    let result = await SampleProgram.run(["import", "x"], environment: ["SAMPLE_URL": ""])
    #expect(result.lines.contains("store=-"))
  }

  @Test func `--version prints the version`() async {
    let result = await SampleProgram.run(["--version"])
    #expect(result.output == "sample 1.2.3\n")
    #expect(result.code == .success)
  }

  @Test func `a failure exits with status 1 and its message, without usage advice`() async {
    let result = await SampleProgram.run(["schema", "fail"])
    #expect(result.code == .failure)
    #expect(result.errors == "sample: it cannot be\n")
    #expect(result.output.isEmpty)
  }
}
