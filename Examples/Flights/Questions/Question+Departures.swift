import Foundation
import OpenSwiftData

extension Question {
  static let latestDepartures = Question("The latest departures of United, page by page") {
    context in
    let carrier = "UA"
    var descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate { $0.airline.code == carrier && $0.departure != nil },
      sortBy: [SortDescriptor(\.departure, order: .reverse), SortDescriptor(\.key)]
    )
    descriptor.fetchLimit = 4
    var answer = Answer(
      .number("Page"),
      .text("Left"),
      .number("Flight"),
      .text("From"),
      .text("To")
    )
    for page in 0..<3 {
      descriptor.fetchOffset = page * 4
      answer.rows += try context.fetch(descriptor).map { flight in
        [
          .number(page + 1), .moment(flight.departure), .number(flight.number),
          .text(flight.origin.code), .text(flight.destination.name),
        ]
      }
    }
    return answer
  }

  static let madeUpTime = Question("Flights that left over an hour late and arrived on time") {
    context in
    let predicate = #Predicate<Flight> {
      ($0.departureDelay ?? 0) > 60 && ($0.arrivalDelay ?? 1) <= 0
    }
    var descriptor = FetchDescriptor(
      predicate: predicate,
      sortBy: [SortDescriptor(\.departureDelay, order: .reverse), SortDescriptor(\.key)]
    )
    descriptor.fetchLimit = 5
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    return Answer(
      .text("Day"),
      .text("Carrier"),
      .number("Flight"),
      .text("To"),
      .number("Left late"),
      .number("Arrived late"),
      rows: try context.fetch(descriptor).map { flight in
        [
          .text(flight.day), .text(flight.airline.name), .number(flight.number),
          .text(flight.destination.code), .number(flight.departureDelay),
          .number(flight.arrivalDelay),
        ]
      },
      note: "There were \(count) of them."
    )
  }

  static let lateEvening = Question("Where one can still fly from ten in the evening on") {
    context in
    let late = 22...23
    var descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate { late.contains($0.hour) && $0.departure != nil }
    )
    let (flights, airports) = try context.aggregate(
      descriptor,
      .count,
      .distinctCount(of: \.destination.code)
    )
    descriptor.fetchLimit = 5
    let busiest = try context.fetch(
      descriptor,
      groupedBy: \.destination.code,
      aggregates: .count,
      sortBy: [.descending(.count)]
    )
    return Answer(
      .text("To"),
      .number("Flights"),
      rows: busiest.map { [.text($0.key), .number($0.values)] },
      note: "\(flights) flights to \(airports) airports left that late."
    )
  }
}
