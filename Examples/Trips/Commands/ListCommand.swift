import CommandLineSupport
import Foundation
import OpenSwiftData

/// `trips list`: the trips that are still to come, or all.
enum ListCommand {
  static let all = Option.flag("all", short: "a", "Trips of the past, too.")
  static let kind = Option(
    "kind",
    value: "KIND",
    "One kind of trips only.",
    choices: ["personal", "business"]
  )

  static let command = Command("list", "Lists the trips to come.", options: [all, kind]) {
    invocation,
    console in
    let context = try TripsProgram.context(invocation)
    let today = try TripsProgram.today(invocation)
    let firstEnd = invocation.isSet(all) ? Date.distantPast : today
    let trips = try trips(of: invocation.text(kind), endingFrom: firstEnd, in: context)
    if trips.isEmpty {
      console.print("No trips. Add one with 'trips add'.")
    } else {
      console.write(table(of: trips, today: today).text(width: console.width))
    }
  }

  private static func trips(
    of kind: String?,
    endingFrom day: Date,
    in context: ModelContext
  ) throws -> [Trip] {
    switch kind {
    case "personal":
      try context.fetch(
        FetchDescriptor<PersonalTrip>(
          predicate: #Predicate { $0.endDate >= day },
          sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
        )
      )
    case "business":
      try context.fetch(
        FetchDescriptor<BusinessTrip>(
          predicate: #Predicate { $0.endDate >= day },
          sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
        )
      )
    default:
      try context.fetch(
        FetchDescriptor<Trip>(
          predicate: #Predicate { $0.endDate >= day },
          sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
        )
      )
    }
  }

  static func table(of trips: [Trip], today: Date) -> TextTable {
    var table = TextTable([
      .text("Name"), .text("Where"), .text("From"), .number("Nights"), .text("Kind"),
      .number("Plans"), .text("When"),
    ])
    for trip in trips {
      table.append([
        trip.hasNews ? "\(trip.name) *" : trip.name, trip.destination, Day.text(trip.startDate),
        "\(trip.nights)", trip.kind,
        "\(trip.bucketList.count)", Day.distance(from: today, to: trip.startDate),
      ])
    }
    return table
  }
}
