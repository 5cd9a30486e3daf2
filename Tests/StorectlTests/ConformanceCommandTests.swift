import Foundation
import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("storectl conformance")
struct ConformanceCommandTests {
  @Test(arguments: ["memory:", "json:a.json", "sqlite:a.db"])
  func `runs rules on the built-in stores`(url: String) async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let parts = url.split(separator: ":", omittingEmptySubsequences: false)
    let location = parts[1].isEmpty ? url : "\(parts[0]):\(folder.file(String(parts[1])).path)"
    let run = await Run.storectl("conformance", location, "--rule", "LIFE-001", "--format", "json")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("\"passed\""))
  }

  @Test func `does the task of another process`() throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "storectl")
    process.currentDirectoryURL = folder.url
    process.arguments = ["conformance", "sqlite:a.db", "--rule", "CONC-080", "--format", "json"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.contains("\"passed\""), "\(text)")
  }

  @Test func `names what a URL lacks`() async throws {
    let run = await Run.storectl("conformance", "postgres://host/database", "--rule", "LIFE-001")
    #expect(run.code == 1)
    #expect(run.errors.contains("add ?schema="), "\(run.errors)")
  }

  @Test func `refuses an unknown task of a child process`() async throws {
    let run = await Run.storectl("conformance", "memory:", "--task", "7")
    #expect(run.code == 1)
    #expect(run.errors.contains("'7' is no task"))
  }
}
