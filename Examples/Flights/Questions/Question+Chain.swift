import Foundation
import OpenSwiftData

extension Question {
  static let longestChain = Question("The plane that left New York most often in a single day") {
    context in
    var longest = Chain(plane: "", day: "", length: 0)
    var current = longest
    var descriptor = FetchDescriptor<Flight>(
      predicate: #Predicate { $0.tailNumber != nil && $0.departure != nil },
      sortBy: [SortDescriptor(\.tailNumber), SortDescriptor(\.day)]
    )
    descriptor.propertiesToFetch = [\.tailNumber, \.day]
    // All flights pass by; enumerating keeps only some of them in memory at a time.
    try context.enumerate(descriptor) { flight in
      current.add(plane: flight.tailNumber ?? "", day: flight.day)
      if current.length > longest.length { longest = current }
    }
    return try answer(for: longest, context)
  }

  private static func answer(for chain: Chain, _ context: ModelContext) throws -> Answer {
    let plane: String? = chain.plane
    let day = chain.day
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
      note: "\(chain.plane) left \(chain.length) times on \(day)."
    )
  }
}

/// The flights of one plane in one day.
private struct Chain {
  var plane: String
  var day: String
  var length: Int

  mutating func add(plane: String, day: String) {
    if plane == self.plane, day == self.day {
      length += 1
    } else {
      self = Chain(plane: plane, day: day, length: 1)
    }
  }
}
