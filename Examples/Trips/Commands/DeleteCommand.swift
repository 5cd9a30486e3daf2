import CommandLineSupport
import OpenSwiftData

/// `trips delete`: a trip with all that belongs to it, or one thing on its list.
enum DeleteCommand {
  static let force = Option.flag("force", short: "f", "Do not ask.")

  static let command = Command(
    "delete",
    "Deletes a trip with its list and its stay, or one thing on its list.",
    options: [force],
    arguments: [TripArguments.trip, TripArguments.item]
  ) { invocation, console in
    let context = try TripsProgram.context(invocation)
    let trip = try context.trip(called: try invocation.required(TripArguments.trip))
    let victim: String
    if let title = invocation.text(TripArguments.item) {
      let item = try trip.item(called: title)
      victim = item.title
      context.delete(item)
    } else {
      victim = trip.name
      context.delete(trip)
    }
    guard invocation.isSet(force) || isAgreed(victim, console) else {
      console.print("Nothing deleted.")
      return
    }
    try context.save()
    console.print("Deleted '\(victim.visible)'.")
  }

  /// Asks a person; where there is none, as in a pipe, the command line is the agreement.
  private static func isAgreed(_ victim: String, _ console: Console) -> Bool {
    guard console.isOutputTerminal else { return true }
    console.errors.write("Delete '\(victim.visible)'? [y/N] ")
    return readLine()?.lowercased().hasPrefix("y") == true
  }
}
