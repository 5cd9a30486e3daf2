import Foundation
import OpenSwiftData

extension Question {
  static let cancellations = Question("Cancelled flights by carrier") { context in
    let predicate = #Predicate<Flight> { $0.departureDelay == nil }
    let cancelled = try context.fetch(FetchDescriptor(predicate: predicate))
    let counts = Dictionary(grouping: cancelled, by: \.airline.code).mapValues(\.count)
    let airlines = try context.fetch(FetchDescriptor<Airline>(sortBy: [SortDescriptor(\.code)]))
    var answer = Answer(
      .text("Code"),
      .text("Carrier"),
      .number("Flights"),
      .number("Cancelled"),
      .number("%")
    )
    for airline in airlines {
      let code = airline.code
      let ofAirline = #Predicate<Flight> { $0.airline.code == code }
      let flights = try context.fetchCount(FetchDescriptor(predicate: ofAirline))
      let count = counts[code] ?? 0
      answer.rows.append([
        .text(code), .text(airline.name), .number(flights), .number(count),
        flights == 0 ? .none : .decimal(Double(count) * 100 / Double(flights)),
      ])
    }
    return answer
  }

  static let routeToLosAngeles = Question("From Kennedy to Los Angeles: who flies how late") {
    context in
    let origin = "JFK"
    let destination = "LAX"
    let descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate {
        $0.origin.code == origin && $0.destination.code == destination && $0.arrivalDelay != nil
      }
    )
    let flights = Dictionary(grouping: try context.fetch(descriptor), by: \.airline.name)
    let names = flights.mapValues(\.count).descending.map(\.key)
    return Answer(
      .text("Carrier"),
      .number("Flights"),
      .number("Mean delay"),
      .number("Worst delay"),
      rows: names.map { name in
        let delays = (flights[name] ?? []).compactMap(\.arrivalDelay)
        return [
          .text(name), .number(delays.count),
          .decimal(Double(delays.reduce(0, +)) / Double(max(1, delays.count))),
          .number(delays.max()),
        ]
      }
    )
  }

  static let carriersToHonolulu = Question("Who flies to Honolulu") { context in
    let destination = "HNL"
    let descriptor = FetchDescriptor<Airline>(
      predicate: #Predicate { airline in
        airline.flights.contains { $0.destination.code == destination }
      },
      sortBy: [SortDescriptor(\.name)]
    )
    return Answer(
      .text("Code"),
      .text("Carrier"),
      rows: try context.fetch(descriptor).map { [.text($0.code), .text($0.name)] }
    )
  }
}
