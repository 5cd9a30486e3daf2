import CommandLineSupport
import Foundation
import OpenSwiftData
import Testing

@testable import StoreTool

@Suite("storectl --format json")
struct FormatTests {
  /// The commands without a format option.
  static let others = ["serve", "completions"]

  @Test func `is an option of every command except serve and completions`() {
    let leaves = Storectl.command.commands.flatMap { command in
      command.commands.isEmpty
        ? [(command.name, command)]
        : command.commands.map { ("\(command.name) \($0.name)", $0) }
    }
    let lacking = leaves.filter { _, command in
      !command.options.contains { $0.name == "format" }
    }
    #expect(Set(lacking.map(\.0)) == Set(Self.others))
  }

  private func object(_ run: Run) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    return try #require(value as? [String: Any])
  }

  @Test func `reports the result of a command`() async throws {
    let library = try Library("json")
    let file = library.folder.file("backup.json").path
    let backup = await Run.storectl("backup", library.url, file, "--format", "json")
    #expect(try object(backup)["file"] as? String == file)
    let copied = await Run.storectl(
      "copy",
      library.url,
      library.other("sqlite"),
      "--format",
      "json"
    )
    #expect(try object(copied)["objects"] as? Int == 8)
    #expect(try object(copied)["keepsKeys"] as? Bool == true)
    let lines = library.folder.file("books.ndjson")
    try await Run.storectl("export", library.url).output
      .write(to: lines, atomically: true, encoding: .utf8)
    let imported = await Run.storectl(
      "import",
      lines.path,
      library.other("json"),
      "--format",
      "json"
    )
    #expect(try object(imported)["objects"] as? Int == 8)
    #expect(try object(imported)["merged"] as? Int == 0)
    let compacted = await Run.storectl("compact", library.url, "--format", "json")
    #expect(try object(compacted)["store"] as? String == library.url)
    let repaired = await Run.storectl("repair", library.url, "--format", "json")
    #expect(try object(repaired)["repairs"] as? [String] == [])
    let lock = library.folder.file("lock.json").path
    let locked = await Run.storectl("schema", "lock", library.url, lock, "--format", "json")
    #expect(locked.code == 0 && locked.output.contains("\"fingerprint\""))
    let checked = await Run.storectl("schema", "check", lock, library.url, "--format", "json")
    #expect(checked.code == 0 && checked.output == locked.output)
    let erased = await Run.storectl("erase", library.url, "--yes", "--format", "json")
    #expect(try object(erased)["objects"] as? Int == 8)
    #expect(await Run.storectl("count", library.url, "Tag").output == "0\n")
  }

  @Test func `of an export is lines of JSON, and another format is a usage error`() async throws {
    let library = try Library("sqlite")
    let plain = await Run.storectl("export", library.url)
    let named = await Run.storectl("export", library.url, "--format", "ndjson")
    #expect(named.code == 0 && named.lines.count == 9 && named.output == plain.output)
    let other = await Run.storectl("export", library.url, "--format", "csv")
    #expect(other.code == 64 && other.output == "" && other.errors.contains("ndjson"))
  }
}
