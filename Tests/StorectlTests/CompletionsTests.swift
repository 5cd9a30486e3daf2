import CommandLineSupport
import Foundation
import Testing

@testable import StoreTool

@Suite("storectl completions")
struct CompletionsTests {
  /// The commands of the program with their subcommands.
  static var commands: [(path: [String], command: Command)] {
    func below(_ command: Command, _ path: [String]) -> [(path: [String], command: Command)] {
      [(path, command)] + command.commands.flatMap { below($0, path + [$0.name]) }
    }
    return below(Storectl.command, [])
  }

  @Test(arguments: CompletionScript.Shell.allCases)
  func `each command, option and choice is completed`(shell: CompletionScript.Shell) async {
    let run = await Run.storectl("completions", shell.rawValue)
    #expect(run.code == 0)
    for (path, command) in Self.commands {
      if let name = path.last { #expect(run.output.contains(name)) }
      for option in command.options {
        let word = shell == .fish ? "-l \(option.name) " : "--\(option.name)"
        #expect(run.output.contains(word), "\(path) \(option.name)")
        for choice in option.choices { #expect(run.output.contains(choice)) }
      }
    }
  }

  @Test(arguments: commands.map { $0.path.joined(separator: " ") })
  func `help fits on a terminal of 80 columns`(path: String) async {
    let console = Console.recording()
    let words = path.split(separator: " ").map(String.init) + ["--help"]
    _ = await Storectl.command.run(words, environment: [:], console: console)
    let long = console.output.pendingText.split(separator: "\n").filter { $0.count > 80 }
    #expect(long.isEmpty, "\(long)")
  }

  @Test func `an unknown shell is a usage error`() async {
    let run = await Run.storectl("completions", "csh")
    #expect(run.code == 64 && run.errors.contains("one of bash, zsh, fish"))
  }

  @Test(
    arguments: [
      (["storectl", "sta"], ["stats"]),
      (["storectl", "schema", "l"], ["lock"]),
      (["storectl", "list", "--lim"], ["--limit"]),
      (["storectl", "list", "--format", "c"], ["csv"]),
      (
        ["storectl", "history", "-"],
        [
          "--since", "--until", "--after", "--before", "--author", "--entity", "--limit", "-f",
          "--follow", "--readers", "--forget-reader", "--format", "--version", "-h", "--help",
        ]
      ),
    ]
  )
  func `bash completes words`(words: [String], completions: [String]) throws {
    let script = CompletionScript(Storectl.command, for: .bash).text
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let call = """
      \(script)
      COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _storectl
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try Self.bash(call) == completions)
  }

  @Test func `the bash script has no syntax error`() throws {
    let script = CompletionScript(Storectl.command, for: .bash).text
    #expect(try Self.bash(script, "-n") == [])
  }

  /// Runs a script and returns the lines of its output and its errors.
  private static func bash(_ script: String, _ options: String...) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).bash")
    try script.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let words = (["bash"] + options + [file.path]).map { "'\($0)'" }.joined(separator: " ")
    guard let stream = popen(words + " 2>&1", "r") else { return ["popen failed"] }
    var bytes: [UInt8] = []
    var byte = fgetc(stream)
    while byte != EOF {
      bytes.append(UInt8(truncatingIfNeeded: byte))
      byte = fgetc(stream)
    }
    pclose(stream)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
