import CommandLineSupport
import OpenSwiftData

extension ImportedFile {
  /// The departures.
  static let flights = ImportedFile(
    name: "flights",
    fields: [
      "year", "month", "day", "sched_dep_time", "dep_delay", "arr_delay", "carrier", "flight",
      "tailnum", "origin", "dest", "air_time", "distance", "hour", "minute", "time_hour",
    ],
    count: { try $0.fetchCount(FetchDescriptor<Flight>()) }
  ) { rows, context, isFirstImport in
    let all = try rows.map(FlightRow.init)
    var present = isFirstImport ? [] : try context.flightKeys(all.map(\.key))
    let missing = all.filter { present.insert($0.key).inserted }
    guard !missing.isEmpty else { return 0 }
    var related = try RelatedModels(for: missing, in: context)
    for row in missing { context.insert(try related.flight(row)) }
    return missing.count
  }
}

/// The models that the flights of one batch refer to.
private struct RelatedModels {
  private let context: ModelContext
  private let airlines: [String: Airline]
  private var airports: [String: Airport]
  private let planes: [String: Plane]
  private let weather: [WeatherReport.StationHour: WeatherReport]

  init(for rows: [FlightRow], in context: ModelContext) throws {
    self.context = context
    airlines = try context.airlines()
    airports = try context.airports(rows.flatMap { [$0.origin, $0.destination] })
    planes = try context.planes(rows.compactMap(\.tailNumber))
    weather = try context.weather(rows.map(\.weather))
  }

  mutating func flight(_ row: FlightRow) throws -> Flight {
    guard let airline = airlines[row.carrier] else {
      throw row.row.error(at: "carrier", "'\(row.carrier)' is not in airlines.csv")
    }
    let flight = Flight(
      key: row.key,
      day: row.day,
      hour: row.hour,
      number: row.number,
      scheduledDeparture: row.scheduledDeparture,
      distance: row.distance,
      airline: airline,
      origin: airport(row.origin),
      destination: airport(row.destination)
    )
    try row.complete(flight)
    flight.plane = row.tailNumber.flatMap { planes[$0] }
    flight.weather = weather[row.weather]
    return flight
  }

  /// The airport of a code; the list of airports lacks a few that people fly to.
  private mutating func airport(_ code: String) -> Airport {
    if let airport = airports[code] { return airport }
    let airport = Airport(unlistedCode: code)
    context.insert(airport)
    airports[code] = airport
    return airport
  }
}
