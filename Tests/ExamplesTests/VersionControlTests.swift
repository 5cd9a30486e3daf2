import Foundation
import Testing

/// Checks the guide about version control against the output of git and of the programs.
///
/// With `OPENSWIFTDATA_PAGES=write` in the environment, the tests rewrite the page instead.
@Suite("A JSON store under version control")
struct VersionControlTests {
  private static let page = URL(filePath: #filePath)
    .appending(
      path: "../../../Sources/OpenSwiftData/OpenSwiftData.docc/JSON-Under-Version-Control.md"
    )
    .standardized

  /// Runs commands in one shell in an empty folder, and returns the output of each.
  private func run(_ commands: [String], in folder: URL) throws -> [[String]] {
    let programs = URL(filePath: ExampleProcess.storectl.path).deletingLastPathComponent().path
    var script = """
      cd '\(folder.path)' && exec 2>&1
      export PATH='\(programs)':"$PATH" LC_ALL=C
      export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
      for who in AUTHOR COMMITTER; do export GIT_${who}_NAME=Ada GIT_${who}_EMAIL=ada@example.org; done

      """
    for command in commands { script += "\(command)\necho '@@@'\n" }
    let process = try ChildProcess("/bin/bash", ["-c", script])
    let output = String(decoding: process.output.readDataToEndOfFile(), as: UTF8.self)
    _ = process.wait()
    var outputs: [[String]] = [[]]
    for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "@@@" {
        outputs.append([])
      } else {
        outputs[outputs.count - 1].append(String(line))
      }
    }
    return outputs.map { lines in lines.last == "" ? lines.dropLast() : lines }
  }

  @Test func `has the output in the guide that git and the programs print`() throws {
    let written = try String(contentsOf: Self.page, encoding: .utf8)
    var parts: [(text: [String], isConsole: Bool)] = [([], false)]
    for line in written.components(separatedBy: "\n") {
      if line.hasPrefix("```"), parts.last?.isConsole == true { parts.append(([], false)) }
      parts[parts.count - 1].text.append(line)
      if line == "```console" { parts.append(([], true)) }
    }
    let commands = parts.filter(\.isConsole).flatMap(\.text).filter { $0.hasPrefix("$ ") }
    let folder = try TemporaryFolder()
    var outputs = try run(commands.map { String($0.dropFirst(2)) }, in: folder.url)[...]
    let real = parts.flatMap { part in
      guard part.isConsole else { return part.text }
      return part.text.filter { $0.hasPrefix("$ ") }.flatMap { [$0] + (outputs.popFirst() ?? []) }
    }
    .joined(separator: "\n")
    if ProcessInfo.processInfo.environment["OPENSWIFTDATA_PAGES"] == "write" {
      try real.write(to: Self.page, atomically: true, encoding: .utf8)
    } else {
      let lines = zip(written.components(separatedBy: "\n"), real.components(separatedBy: "\n"))
      #expect(written == real, "first: \(String(describing: lines.first { $0 != $1 }))")
    }
  }

  @Test func `gets the objects of both branches in a git merge, which names conflicts`()
    throws
  {
    let folder = try TemporaryFolder()
    let add = { (name: String) in
      "trips --store 'json:t.json?history=off' add \(name) --to X --from 2030-01-01 --until 2030-01-02"
    }
    let outputs = try run(
      [
        "git init -q -b main . && echo 't.json merge=storectl' > .gitattributes",
        "git config merge.storectl.driver 'storectl merge %O %A %B %P'",
        "printf '%s\\n' '*.json.lock' '*.json.journal' > .gitignore",
        "\(add("One")); git add . && git commit -qm One",
        "git switch -qc other; \(add("Two")); \(add("Three")); git commit -qam Two",
        "git switch -q main; \(add("Four")); git commit -qam Four",
        "git merge -q --no-edit other; echo merged $?",
        "storectl count json:t.json Trip; storectl verify json:t.json; git status --porcelain",
        "git switch -qc third; trips --store json:t.json stay One A; git commit -qam A",
        "git switch -q main; trips --store json:t.json stay One B; git commit -qam B",
        "git merge -q --no-edit third; echo merged $?",
        "storectl verify json:t.json; git status --porcelain",
      ],
      in: folder.url
    )
    #expect(outputs[6].contains("merged 0"), "\(outputs)")
    #expect(outputs[7] == ["4", "No problems were found."])
    #expect(outputs[10].contains("merged 1"))
    let line = outputs[10].first { $0.contains("both sides changed the value") }
    #expect(line?.hasPrefix("t.json: Trip/1.livingAccommodation: ") == true, "\(outputs)")
    #expect(outputs[11] == ["No problems were found.", "UU t.json"])
  }
}
