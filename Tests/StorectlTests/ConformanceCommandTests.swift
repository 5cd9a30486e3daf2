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

  @Test func `refuses an unknown task of a child process`() async throws {
    let run = await Run.storectl("conformance", "memory:", "--task", "7")
    #expect(run.code == 1)
    #expect(run.errors.contains("'7' is no task"))
  }
}
