import Foundation
import OpenSwiftData

extension Question {
  static let cancellations = Question("Cancelled flights by carrier") { context in
    let cancelled = try context.fetch(
      FetchDescriptor<Flight>(predicate: #Predicate { $0.departureDelay == nil }),
      groupedBy: \.airline.code,
      aggregates: .count
    )
    let counts = Dictionary(uniqueKeysWithValues: cancelled.map { ($0.key, $0.values) })
    let airlines = try context.fetch(
      FetchDescriptor<Airline>(sortBy: [SortDescriptor(\.code)]),
      select: \.code,
      \.name,
      \.flights.count
    )
    return Answer(
      .text("Code"),
      .text("Carrier"),
      .number("Flights"),
      .number("Cancelled"),
      .number("%"),
      rows: airlines.map { code, name, flights in
        let count = counts[code] ?? 0
        return [
          .text(code), .text(name), .number(flights), .number(count),
          flights == 0 ? .none : .decimal(Double(count) * 100 / Double(flights)),
        ]
      }
    )
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
    let carriers = try context.fetch(
      descriptor,
      groupedBy: \.airline.name,
      aggregates: .count,
      .average(\.arrivalDelay),
      .maximum(\.arrivalDelay),
      sortBy: [.descending(.count)]
    )
    return Answer(
      .text("Carrier"),
      .number("Flights"),
      .number("Mean delay"),
      .number("Worst delay"),
      rows: carriers.map { name, values in
        let (count, mean, worst) = values
        return [.text(name), .number(count), mean.map { .decimal($0) } ?? .none, .number(worst)]
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
      rows: try context.fetch(descriptor, select: \.code, \.name).map { [.text($0), .text($1)] }
    )
  }
}
