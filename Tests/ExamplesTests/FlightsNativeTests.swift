import Foundation
import OpenSwiftData
import Testing

@testable import SQLiteStore
@testable import flights

@Suite("The report on SQLite")
struct FlightsNativeTests {
  /// The most statements that a question takes, those for objects of relationships among them.
  private static let statements = [
    "The latest departures of United, page by page": 9,
  ]

  private let log = StatementLog()

  private func container(in folder: borrowing TemporaryFolder) throws -> ModelContainer {
    let data = try SmallDataSet(flightCount: 600, in: folder.url)
    let words = ["import", "--store", folder.store("sqlite"), "--data", data.folder.path]
    try #require(try ExampleProcess.flights.run(words).code == 0)
    let path = folder.store("sqlite").dropFirst("sqlite:".count)
    var configuration = SQLiteStoreConfiguration(url: URL(filePath: String(path)))
    configuration.log = log
    return try ModelContainer(
      for: Airline.self,
      Airport.self,
      Plane.self,
      WeatherReport.self,
      Flight.self,
      configurations: configuration
    )
  }

  @Test func `is answered by SQL alone, in few statements`() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    for question in Question.all {
      let context = ModelContext(container)
      context.requiresNativeFetches = true
      _ = try question.answer(context)
      let native = ModelContext(container)
      log.clear()
      _ = try question.answer(native)
      print("QUESTION", question.title, log.counts.texts.count)
    }
  }

  @Test func `looks up what has an index and does not walk through tables for it`() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(in: folder))
    let carrier = "UA"
    var latest = FetchDescriptor<Flight>(
      predicate: #Predicate { $0.airline.code == carrier && $0.departure != nil },
      sortBy: [SortDescriptor(\.departure, order: .reverse), SortDescriptor(\.key)]
    )
    latest.fetchLimit = 4
    print(try context.explain(latest))
    let late = FetchDescriptor<Flight>(predicate: #Predicate { ($0.departureDelay ?? 0) > 60 })
    print(try context.explain(late))
  }
}
