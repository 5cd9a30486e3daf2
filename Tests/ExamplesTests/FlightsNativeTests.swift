import Foundation
import OpenSwiftData
import Testing

@testable import SQLiteStore
@testable import FlightRecords

@Suite("The flights report on SQLite")
struct FlightsNativeTests {
  /// The number of statements that read objects or values for each question, including related
  /// objects.
  private static let readings = [
    7, 2, 2, 3, 4, 2, 1, 2, 1, 2, 2, 1, 1, 1, 3,
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

  @Test func `runs entirely in SQL, with the expected number of statements`() throws {
    let folder = try TemporaryFolder()
    let container = try container(in: folder)
    var readings: [Int] = []
    for question in Question.all {
      let strict = ModelContext(container)
      strict.requiresNativeFetches = true
      _ = try question.answer(strict)
      log.clear()
      _ = try question.answer(ModelContext(container))
      let statements = log.counts.texts.filter {
        $0.hasPrefix("SELECT") && !$0.contains(#""OpenSwiftData""#)
      }
      readings.append(statements.count)
    }
    #expect(Set(readings) != [0])
    for (question, counts) in zip(Question.all, zip(readings, Self.readings)) {
      #expect(counts.0 == counts.1, "\(question.title)")
    }
    #expect(readings.count == Self.readings.count)
  }

  @Test func `finds flights by an index, and scans the table only without one`()
    throws
  {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(in: folder))
    let carrier = "UA"
    let united = FetchDescriptor<Flight>(predicate: #Predicate { $0.airline.code == carrier })
    let byCarrier = try context.explain(united)
    #expect(byCarrier.isNative)
    #expect(byCarrier.store.indexes.contains("Flight(airline)"))
    #expect(!byCarrier.store.steps.contains { $0.hasPrefix("SCAN") })
    let plane: String? = "N14228"
    let one = try context.explain(
      FetchDescriptor<Flight>(predicate: #Predicate { $0.tailNumber == plane })
    )
    #expect(!one.store.steps.contains { $0.hasPrefix("SCAN") })
    let far = FetchDescriptor<Flight>(predicate: #Predicate { $0.distance > 2_000 })
    #expect(try context.explain(far).store.steps.contains { $0.hasPrefix("SCAN") })
  }

  @Test func `groups in SQL`() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(in: folder))
    let explanation = try context.explain(
      FetchDescriptor<Flight>(),
      groupedBy: \.airline.name,
      aggregates: .count,
      .average(\.arrivalDelay),
      sortBy: [.descending(.count)]
    )
    #expect(explanation.isNative)
    #expect(explanation.store.statements.contains { $0.contains("GROUP BY") })
  }
}
