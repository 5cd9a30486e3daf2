import Foundation
import Testing

@Suite("flights report")
struct FlightsReportTests {
  /// The form of `--format json`.
  struct Report: Decodable {
    struct Entry: Decodable {
      let title: String
      let answer: Answer
    }
    struct Answer: Decodable {
      let columns: [String]
      let rows: [[Cell]]
      let note: String?
    }
    /// The string of a cell's value of any type.
    struct Cell: Decodable {
      let text: String

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
          text = "-"
        } else if let number = try? container.decode(Int.self) {
          text = String(number)
        } else if let number = try? container.decode(Double.self) {
          text = String(number)
        } else {
          text = try container.decode(String.self)
        }
      }
    }
    let questions: [Entry]
  }

  @Test func `prints the same bytes on three stores, as text and as JSON`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 600, in: folder.url)
    for kind in ["sqlite", "json"] {
      let words = ["import", "--store", folder.store(kind), "--data", data.folder.path]
      try #require(try ExampleProcess.flights.run(words).code == 0)
    }
    for form in ["json", "text"] {
      let reports = try ["sqlite", "json"].map { kind in
        try Self.output(["report", "--store", folder.store(kind), "--format", form])
      }
      let inMemory = try Self.output([
        "report", "--store", "memory:", "--import", "--data", data.folder.path, "--format", form,
      ])
      #expect(reports[0] == reports[1])
      #expect(reports[0] == inMemory)
    }
  }

  @Test func `prints results that agree with the data file`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 600, in: folder.url)
    let text = try Self.output([
      "report", "--store", "memory:", "--import", "--data", data.folder.path, "--format", "json",
    ])
    let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    #expect(report.questions.count >= 10)
    try Self.checkCancellations(report, data)
    try Self.checkLongestChain(report, data)
    try Self.checkLatestDepartures(report, data)
    try Self.checkMadeUpTime(report, data)
  }

  @Test func `can print a single question`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 20, in: folder.url)
    let words = ["report", "--store", "memory:", "--import", "--data", data.folder.path]
    let text = try Self.output(words + ["--question", "13"])
    #expect(text.hasPrefix("13. Who flies to Honolulu\n"))
    #expect(!text.contains("12. "))
  }

  @Test func `fits every line of text in 80 columns`() throws {
    let folder = try TemporaryFolder()
    let data = try SmallDataSet(flightCount: 600, in: folder.url)
    let text = try Self.output([
      "report", "--store", "memory:", "--import", "--data", data.folder.path,
    ])
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  private static func output(_ words: [String]) throws -> String {
    let result = try ExampleProcess.flights.run(words)
    try #require(result.code == 0, "\(result.errors)")
    return result.output
  }

  private static func answer(_ report: Report, _ title: String) throws -> Report.Answer {
    try #require(report.questions.first { $0.title.contains(title) }).answer
  }

  private static func checkCancellations(_ report: Report, _ data: SmallDataSet) throws {
    let answer = try answer(report, "Cancelled")
    for row in answer.rows {
      let flights = data.flights.filter { $0["carrier"] == row[0].text }
      #expect(row[2].text == "\(flights.count)")
      #expect(row[3].text == "\(flights.count { $0["dep_delay"] == "NA" })")
    }
    #expect(answer.rows.count == 16)
  }

  private static func checkLongestChain(_ report: Report, _ data: SmallDataSet) throws {
    let left = data.flights.filter { $0["tailnum"] != "NA" && $0["dep_delay"] != "NA" }
    let chains = Dictionary(grouping: left) { "\($0["tailnum"] ?? "") \($0["day"] ?? "")" }
    let longest = chains.values.map(\.count).max()
    #expect(try answer(report, "most often in a single day").rows.count == longest)
  }

  private static func checkLatestDepartures(_ report: Report, _ data: SmallDataSet) throws {
    let rows = try answer(report, "latest departures").rows
    let moments = rows.map { $0[1].text }
    #expect(moments == moments.sorted(by: >))
    let numbers = data.flights.filter { $0["carrier"] == "UA" && $0["dep_delay"] != "NA" }
    #expect(rows.count == min(12, numbers.count))
    #expect(Set(rows.map { $0[2].text }).isSubset(of: Set(numbers.compactMap { $0["flight"] })))
  }

  private static func checkMadeUpTime(_ report: Report, _ data: SmallDataSet) throws {
    let count = data.flights.count { flight in
      guard let left = flight["dep_delay"].flatMap({ Int($0) }) else { return false }
      guard let arrived = flight["arr_delay"].flatMap({ Int($0) }) else { return false }
      return left > 60 && arrived <= 0
    }
    #expect(try answer(report, "arrived on time").note == "There were \(count) of them.")
  }
}
