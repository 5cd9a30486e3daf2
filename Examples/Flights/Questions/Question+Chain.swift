import Foundation
import OpenSwiftData

extension Question {
  static let longestChain = Question("The plane that left New York most often in a single day") {
    context in
    var descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate { $0.tailNumber != nil && $0.departure != nil }
    )
    descriptor.fetchLimit = 1
    let chain = try context.fetch(
      descriptor,
      groupedBy: \.tailNumber,
      \.day,
      aggregates: .count,
      sortBy: [.descending(.count)]
    ).first
    return try answer(plane: chain?.key.0, day: chain?.key.1 ?? "", chain?.values ?? 0, context)
  }

  private static func answer(
    plane: String?,
    day: String,
    _ length: Int,
    _ context: ModelContext
  ) throws -> Answer {
    let descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate {
        $0.tailNumber == plane && $0.day == day && $0.departure != nil
      },
      sortBy: [SortDescriptor(\.departure), SortDescriptor(\.key)]
    )
    return Answer(
      .text("Left"),
      .number("Flight"),
      .text("From"),
      .text("To"),
      .number("Delay"),
      rows: try context.fetch(descriptor).map { flight in
        [
          .moment(flight.departure), .number(flight.number), .text(flight.origin.code),
          .text(flight.destination.name), .number(flight.departureDelay),
        ]
      },
      note: "\(plane ?? "") left \(length) times on \(day)."
    )
  }
}
