import Foundation
import Testing

@Suite("flights import, killed")
struct FlightsKillTests {
  private static let batch = 25
  private static let total = 300

  // The numbers of lines that the import has written when it is killed: before it has begun,
  // among the airports, and twice among the flights, which are the last twelve of 38 lines.
  @Test(arguments: ["sqlite", "json"], [0, 9, 28, 33])
  func `keeps whole batches, and a second import completes them`(
    kind: String,
    lineCount: Int
  ) throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: Self.total, in: folder.url)
    let words = [
      "import", "--store", folder.store(kind), "--data", data.folder.path, "--batch",
      "\(Self.batch)", "--verbose",
    ]
    _ = try ExampleProcess.flights.kill(words, after: lineCount)
    // An import with limit 0 opens the store of the killed import and prints its row counts.
    let left = try ExampleProcess.flights.run(words + ["--limit", "0"])
    try #require(left.code == 0, "\(left.errors)")
    let flights = try FlightsImportTests.counts(left)[4][2]
    #expect(flights.isMultiple(of: Self.batch))
    let completed = try ExampleProcess.flights.run(words)
    #expect(
      try FlightsImportTests.counts(completed).last == [
        Self.total, Self.total - flights, Self.total,
      ]
    )
    let whole = folder.store(kind, "whole")
    try #require(
      try ExampleProcess.flights.run(["import", "--store", whole, "--data", data.folder.path]).code
        == 0
    )
    #expect(try FlightsImportTests.report(folder.store(kind)) == FlightsImportTests.report(whole))
  }
}
