import CommandLineSupport
import OpenSwiftData

/// `trips confirm`: a stay or a reservation that is certain now.
enum ConfirmCommand {
  /// Who says so in the history.
  static let author = "confirm"

  static let command = Command(
    "confirm",
    "Confirms the stay of a trip, or the reservation for something on its list.",
    arguments: [TripArguments.trip, TripArguments.item]
  ) { invocation, console in
    let context = try TripsProgram.context(invocation)
    context.author = author
    let trip = try context.trip(called: try invocation.required(TripArguments.trip))
    let confirmed: String
    if let title = invocation.text(TripArguments.item) {
      let item = try trip.item(called: title)
      item.isInPlan = true
      item.hasReservation = true
      confirmed = item.title
    } else {
      guard let accommodation = trip.livingAccommodation else {
        throw CommandFailure("'\(trip.name)' has no stay to confirm; see 'trips stay --help'")
      }
      accommodation.isConfirmed = true
      confirmed = accommodation.placeName
    }
    try context.save()
    console.print("Confirmed: \(confirmed.visible).")
  }
}
