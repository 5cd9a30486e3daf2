import Foundation
import Testing

@Suite("flights copy")
struct FlightsCopyTests {
  @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
  func `has the same report in a copy as in the original`(from: String, to: String) throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 200, in: folder.url)
    let (source, target) = (folder.store(from, "source"), folder.store(to, "target"))
    let imported = ["import", "--store", source, "--data", data.folder.path]
    try #require(try ExampleProcess.flights.run(imported).code == 0)
    let result = try ExampleProcess.flights.run(["copy", "--from", source, "--to", target])
    #expect(result.code == 0)
    #expect(result.errors.isEmpty)
    #expect(result.output.contains("Flight"))
    #expect(try FlightsImportTests.report(source) == FlightsImportTests.report(target))
  }

  @Test func `refuses a target that is not empty`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 10, in: folder.url)
    for name in ["source", "target"] {
      let words = ["import", "--store", folder.store("json", name), "--data", data.folder.path]
      try #require(try ExampleProcess.flights.run(words).code == 0)
    }
    let target = folder.store("json", "target")
    let before = try FlightsImportTests.report(target)
    let result = try ExampleProcess.flights.run([
      "copy", "--from", folder.store("json", "source"), "--to", target,
    ])
    #expect(result.code == 1)
    #expect(result.errors.contains("is not empty"))
    #expect(try FlightsImportTests.report(target) == before)
  }
}
