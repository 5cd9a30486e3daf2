import Foundation
import Testing

@Suite("flights import")
struct FlightsImportTests {
  static let kinds = ["sqlite", "json"]

  @Test(arguments: kinds)
  func `changes nothing in a second import`(kind: String) throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 300, in: folder.url)
    let words = ["import", "--store", folder.store(kind), "--data", data.folder.path]
    let first = try ExampleProcess.flights.run(words)
    #expect(first.code == 0)
    #expect(try Self.counts(first) == Self.counts(first).map { [$0[0], $0[0], $0[2]] })
    let report = try Self.report(folder.store(kind))
    let second = try ExampleProcess.flights.run(words)
    #expect(second.code == 0)
    let (before, after) = (try Self.counts(first), try Self.counts(second))
    #expect(after.map { [$0[0], $0[1]] } == before.map { [$0[0], 0] })
    #expect(after.last == [300, 0, 300])
    #expect(try Self.report(folder.store(kind)) == report)
  }

  @Test(arguments: kinds)
  func `shows no progress bar in a pipe`(kind: String) throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 50, in: folder.url)
    let result = try ExampleProcess.flights.run(
      ["import", "--store", folder.store(kind), "--data", data.folder.path]
    )
    #expect(result.errors.isEmpty)
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test(arguments: kinds)
  func `names a malformed line, and keeps the previous batches`(kind: String) throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 100, in: folder.url)
    let whole = try data.lines(of: "flights")
    var broken = whole
    broken[70] = "2013,1,1,oops"
    try data.write("flights", broken)
    let words = [
      "import", "--store", folder.store(kind), "--data", data.folder.path, "--batch", "30",
    ]
    let failed = try ExampleProcess.flights.run(words)
    #expect(failed.code == 1)
    #expect(failed.errors.contains("flights.csv:71:1: 4 fields, but the header has 19"))
    try data.write("flights", whole)
    let counts = try Self.counts(try ExampleProcess.flights.run(words))
    #expect(counts.last == [100, 40, 100])
  }

  @Test func `names the line and column of an invalid value`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 10, in: folder.url)
    var lines = try data.lines(of: "flights")
    lines[4] = lines[4].replacingOccurrences(of: "2013,1,1,", with: "2013,January,1,")
    try data.write("flights", lines)
    let result = try ExampleProcess.flights.run(
      ["import", "--store", folder.store("sqlite"), "--data", data.folder.path]
    )
    #expect(result.code == 1)
    #expect(result.errors.contains("flights.csv:5:6: field 'month': 'January' is not an integer"))
  }

  @Test func `refuses a flight of an unknown carrier`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 10, in: folder.url)
    var lines = try data.lines(of: "flights")
    lines[3] = lines[3].replacingOccurrences(of: ",AA,", with: ",??,")
    try data.write("flights", lines)
    let result = try ExampleProcess.flights.run(
      ["import", "--store", folder.store("sqlite"), "--data", data.folder.path]
    )
    #expect(result.code == 1)
    #expect(result.errors.contains("field 'carrier': '??' is not in airlines.csv"))
  }

  @Test func `imports flights up to a limit`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 50, in: folder.url)
    let result = try ExampleProcess.flights.run(
      ["import", "--store", folder.store("sqlite"), "--data", data.folder.path, "--limit", "7"]
    )
    #expect(try Self.counts(result).last == [7, 7, 7])
  }

  @Test func `names the missing file of a folder without files`() throws {
    let folder = try TemporaryFolder()
    let result = try ExampleProcess.flights.run(
      ["import", "--store", folder.store("sqlite"), "--data", folder.url.path]
    )
    #expect(result.code == 1)
    #expect(result.errors.contains("airlines.csv: cannot open the file"))
  }

  @Test func `lists the store schemes for an unknown scheme`() throws {
    let result = try ExampleProcess.flights.run(["import", "--store", "sqlight:x.db"])
    #expect(result.code == 1)
    #expect(result.errors.contains("sqlite"))
    #expect(result.errors.contains("json"))
  }

  @Test func `exits with a usage error without a store`() throws {
    let result = try ExampleProcess.flights.run(["import"])
    #expect(result.code == 64)
    #expect(result.errors.contains("--store"))
  }

  /// The numbers of the table that an import prints: read, added, in the store.
  static func counts(_ result: ExampleProcess.Result) throws -> [[Int]] {
    let rows = result.lines.dropFirst(2).map { $0.split(separator: " ").compactMap { Int($0) } }
    try #require(rows.count == 5, "\(result.output)\(result.errors)")
    return rows
  }

  static func report(_ store: String) throws -> String {
    let result = try ExampleProcess.flights.run(["report", "--store", store, "--format", "json"])
    try #require(result.code == 0, "\(result.errors)")
    return result.output
  }
}
