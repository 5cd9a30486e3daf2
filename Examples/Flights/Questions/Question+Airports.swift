import Foundation
import OpenSwiftData

extension Question {
  static let unvisitedAirports = Question("Airports that nobody flew to, the highest first") {
    context in
    let predicate = #Predicate<Airport> { $0.arrivals.isEmpty && $0.departures.isEmpty }
    var descriptor = FetchDescriptor(
      predicate: predicate,
      sortBy: [SortDescriptor(\.altitude, order: .reverse), SortDescriptor(\.code)]
    )
    descriptor.fetchLimit = 5
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    let all = try context.fetchCount(FetchDescriptor<Airport>())
    return Answer(
      .text("Airport"),
      .text("Name"),
      .number("Feet"),
      .text("Time zone"),
      rows: try context.fetch(descriptor).map { airport in
        [
          .text(airport.code), .text(airport.name), .number(airport.altitude),
          .text(airport.timeZone ?? "-"),
        ]
      },
      note: "Nobody flew to \(count) of \(all) airports."
    )
  }

  static let unlistedAirports = Question("Destinations that the list of airports lacks") {
    context in
    let descriptor = FetchDescriptor<Airport>(
      predicate: #Predicate { !$0.isListed },
      sortBy: [SortDescriptor(\.code)]
    )
    return Answer(
      .text("Airport"),
      .number("Flights"),
      rows: try context.fetch(descriptor, select: \.code, \.arrivals.count).map { code, flights in
        [.text(code), .number(flights)]
      }
    )
  }

  static let namedAirports = Question("Destinations that call themselves regional") { context in
    let descriptor = FetchDescriptor<Airport>(
      predicate: #Predicate {
        ($0.name.localizedStandardContains("regional") || $0.name.contains("Rgnl"))
          && !$0.arrivals.isEmpty
      },
      sortBy: [SortDescriptor(\.name), SortDescriptor(\.code)]
    )
    return Answer(
      .text("Airport"),
      .text("Name"),
      .number("Flights"),
      rows: try flightCounts(descriptor, context)
    )
  }

  static let loneCarrier = Question("Destinations to which only United flies") { context in
    let carrier = "UA"
    let descriptor = FetchDescriptor<Airport>(
      predicate: #Predicate { airport in
        !airport.arrivals.isEmpty
          && airport.arrivals.allSatisfy { $0.airline.code == carrier }
      },
      sortBy: [SortDescriptor(\.code)]
    )
    return Answer(
      .text("Airport"),
      .text("Name"),
      .number("Flights"),
      rows: try flightCounts(descriptor, context)
    )
  }

  /// Code, name and number of arrivals of some airports.
  private static func flightCounts(
    _ descriptor: FetchDescriptor<Airport>,
    _ context: ModelContext
  ) throws -> [[Answer.Cell]] {
    try context.fetch(descriptor, select: \.code, \.name, \.arrivals.count).map {
      [.text($0), .text($1), .number($2)]
    }
  }
}
