import CommandLineSupport
import Foundation
import OpenSwiftData

/// `trips search`: trips by a word in anything about them.
enum SearchCommand {
  static let text = Argument("TEXT", "A part of a name, a place, or something planned.")

  static let command = Command(
    "search",
    "Finds trips by name, place, stay, or what is planned.",
    arguments: [text]
  ) { invocation, console in
    let context = try TripsProgram.context(invocation)
    let text = try invocation.required(text)
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { trip in
        trip.name.localizedStandardContains(text)
          || trip.destination.localizedStandardContains(text)
          || trip.bucketList.contains { $0.title.localizedStandardContains(text) }
          || trip.livingAccommodation?.placeName.localizedStandardContains(text) == true
      },
      sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
    )
    let trips = try context.fetch(descriptor)
    guard !trips.isEmpty else { throw CommandFailure("nothing matches '\(text)'") }
    let today = try TripsProgram.today(invocation)
    console.write(ListCommand.table(of: trips, today: today).text(width: console.width))
  }
}
