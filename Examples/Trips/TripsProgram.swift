import CommandLineSupport
import Foundation
import OpenSwiftData

/// The program `trips`: plans journeys, in any store.
@main
enum TripsProgram {
  static let store = Option(
    "store",
    short: "s",
    value: "URL",
    "Where the trips are kept: sqlite:FILE or json:FILE.",
    default: "sqlite:trips.db",
    environment: "DATASTORE_URL"
  )
  static let today = Option("today", value: "DATE", "The day to count from, if not today.")

  static let command = Command(
    "trips",
    "Plans your trips.",
    discussion: """
      A TRIP is the name of a trip or a part of it. A DATE is written as 2026-12-24.

      EXAMPLES:
        trips add Christmas --to Oslo --from 2026-12-23 --until 2026-12-28 --reason family
        trips stay Christmas "Hotel Bristol" --address "Kristian IVs gate 7"
        trips plan Christmas "Ski jump" --details "Bring gloves"
        trips confirm Christmas
        trips show Christmas
      """,
    version: "0.1.0",
    options: [store, today],
    commands: [
      AddCommand.command, ListCommand.command, ShowCommand.command, SearchCommand.command,
      StayCommand.command, PlanCommand.command, ConfirmCommand.command, DeleteCommand.command,
      WatchCommand.command,
    ]
  )

  static func main() async {
    await command.main()
  }

  /// Opens the store that an invocation names.
  static func context(_ invocation: Invocation) throws -> ModelContext {
    ModelContext(try container(invocation))
  }

  /// Opens the store that an invocation names, for several contexts.
  static func container(_ invocation: Invocation) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self,
      PersonalTrip.self,
      BusinessTrip.self,
      BucketListItem.self,
      LivingAccommodation.self,
      store: try invocation.required(store)
    )
  }

  /// The day that counts as today.
  static func today(_ invocation: Invocation) throws -> Date {
    guard let text = invocation.text(today) else { return Day.containing(Date()) }
    return try Day.parsed(text, option: today)
  }
}
