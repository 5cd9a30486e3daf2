import CommandLineSupport
import Foundation
import StoreTestSupport
import Testing

@testable import StoreTool

/// Compares the output in `Documentation/Storectl.md` with that of the program.
///
/// The variable `OPENSWIFTDATA_PAGES=write` updates the page instead.
@Suite("Documentation/Storectl.md")
struct StorectlPageTests {
  private static let page = URL(filePath: #filePath)
    .appending(path: "../../../Documentation/Storectl.md").standardized

  @Test func `the page shows the output of the program`() async throws {
    let written = try String(contentsOf: Self.page, encoding: .utf8)
    let real = try await Self.filled(written)
    if ProcessInfo.processInfo.environment["OPENSWIFTDATA_PAGES"] == "write" {
      try real.write(to: Self.page, atomically: true, encoding: .utf8)
    } else {
      let lines = zip(
        written.components(separatedBy: "\n"),
        real.components(separatedBy: "\n")
      )
      let first = lines.first { $0 != $1 }
      #expect(written == real, "first: \(String(describing: first))")
    }
  }

  @Test func `the page contains each command`() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    for command in Storectl.command.commands { #expect(text.contains("`\(command.name)`")) }
  }

  /// Returns the page with the output of its commands.
  private static func filled(_ text: String) async throws -> String {
    let folder = try TemporaryFolder()
    _ = try Library("sqlite", folder: folder, oddText: "Figures")
    var result: [String] = []
    var isConsole = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        if isConsole, result.last == "" { result.removeLast() }
        isConsole = line == "```console"
        result.append(line)
      } else if isConsole, line.hasPrefix("$ storectl ") {
        result.append(line)
        result += try await output(to: String(line.dropFirst(11)), in: folder)
      } else if !isConsole {
        result.append(line)
      }
    }
    return result.joined(separator: "\n")
  }

  private static func output(to line: String, in folder: TemporaryFolder) async throws -> [String] {
    let directory = folder.url.path.hasSuffix("/") ? folder.url.path : folder.url.path + "/"
    let isPipe = line.contains(" | ") || line.contains(" > ")
    let parts = line.components(separatedBy: isPipe && line.contains(" > ") ? " > " : " | ")
    let words = parts[0].split(separator: " ").map { word in
      let bare = word.trimmingCharacters(in: CharacterSet(charactersIn: "'"))
      return bare.replacing("sqlite:", with: "sqlite:\(directory)")
        .replacing("json:", with: "json:\(directory)")
        .replacing(/^(.*\.ndjson|copy\..*)$/) { directory + $0.output.0 }
    }
    let console = Console.recording(isOutputTerminal: !isPipe)
    _ = await Storectl.command.run(words, environment: [:], console: console)
    let output = console.output.pendingText
    if line.contains(" > ") {
      try output.write(toFile: directory + parts[1], atomically: true, encoding: .utf8)
    }
    var lines = (output + console.errors.pendingText).replacing(directory, with: "")
      .components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    if line.contains(" > ") { return [] }
    if parts.count > 1, parts[1].hasPrefix("head -"), let count = Int(parts[1].dropFirst(6)) {
      lines = Array(lines.prefix(count))
    }
    return lines.map { fixed($0) } + [""]
  }

  /// Returns the line without the parts that differ between runs.
  private static func fixed(_ line: String) -> String {
    line.replacing(
      /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ  .*/,
      with: "2026-05-01T09:30:00Z  shop (4711)"
    )
    .replacing(/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/) { found in
      found.output.hasPrefix("00000000")
        ? String(found.output) : "7E0B4F5C-2D0C-4F0E-9C1A-0F4B7C2E9A11"
    }
  }
}
