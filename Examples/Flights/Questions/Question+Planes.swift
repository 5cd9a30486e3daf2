import Foundation
import OpenSwiftData

extension Question {
  static let busiestPlanes = Question("The planes of Airbus with most flights") { context in
    let maker = "AIRBUS"
    var descriptor = FetchDescriptor<Plane>(
      predicate: #Predicate { $0.manufacturer == maker && !$0.flights.isEmpty },
      sortBy: [SortDescriptor(\.flights.count, order: .reverse), SortDescriptor(\.tailNumber)]
    )
    let count = try context.fetchCount(descriptor)
    descriptor.fetchLimit = 5
    let busiest = try context.fetch(
      descriptor,
      select: \.tailNumber,
      \.model,
      \.year,
      \.seats,
      \.flights.count
    )
    return Answer(
      .text("Plane"),
      .text("Model"),
      .number("Built"),
      .number("Seats"),
      .number("Flights"),
      rows: busiest.map { tailNumber, model, year, seats, flights in
        [.text(tailNumber), .text(model), .number(year), .number(seats), .number(flights)]
      },
      note: "\(count) planes of Airbus flew."
    )
  }

  static let oldPlanesInBadWeather = Question(
    "Planes older than 20 years, delayed over an hour in bad weather"
  ) { context in
    // Named values instead of literals keep the type checker from trying every kind of number.
    let (year, thisYear) = (1993, 2013)
    let (hour, onTime) = (60, 0)
    let (fog, clear) = (3.0, 10.0)
    let predicate = #Predicate<Flight> {
      ($0.plane?.year ?? thisYear) < year
        && ($0.departureDelay ?? onTime) > hour
        && ($0.weather?.visibility ?? clear) < fog
    }
    var descriptor = FetchDescriptor(
      predicate: predicate,
      sortBy: [SortDescriptor(\.departureDelay, order: .reverse), SortDescriptor(\.key)]
    )
    descriptor.fetchLimit = 5
    descriptor.relationshipKeyPathsForPrefetching = [\.plane, \.weather]
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    return Answer(
      .text("Day"),
      .text("Plane"),
      .number("Built"),
      .text("From"),
      .number("Delay"),
      .number("Visibility"),
      rows: try context.fetch(descriptor).map { flight in
        [
          .text(flight.day), .text(flight.tailNumber ?? "-"), .number(flight.plane?.year),
          .text(flight.origin.code), .number(flight.departureDelay),
          flight.weather.map { .decimal($0.visibility) } ?? .none,
        ]
      },
      note: "There were \(count) such departures."
    )
  }

  static let unregisteredPlanes = Question("Planes that flew and that no register knows") {
    context in
    var descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate { $0.plane == nil && $0.tailNumber != nil }
    )
    let (planes, flights) = try context.aggregate(
      descriptor,
      .distinctCount(of: \.tailNumber),
      .count
    )
    descriptor.fetchLimit = 5
    let busiest = try context.fetch(
      descriptor,
      groupedBy: \.tailNumber,
      aggregates: .count,
      sortBy: [.descending(.count)]
    )
    return Answer(
      .text("Plane"),
      .number("Flights"),
      rows: busiest.map { [.text($0.key ?? "-"), .number($0.values)] },
      note: "\(planes) such planes made \(flights) flights."
    )
  }
}
