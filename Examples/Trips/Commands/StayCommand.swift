import CommandLineSupport
import OpenSwiftData

/// `trips stay`: where one stays.
enum StayCommand {
  static let place = Argument("PLACE", "The name of the hotel, house or camp.")
  static let address = Option("address", value: "TEXT", "Where it is.", default: "")

  static let command = Command(
    "stay",
    "Says where you stay on a trip; it replaces what was said before.",
    options: [address],
    arguments: [TripArguments.trip, place]
  ) { invocation, console in
    let context = try TripsProgram.context(invocation)
    let trip = try context.trip(called: try invocation.required(TripArguments.trip))
    if let former = trip.livingAccommodation { context.delete(former) }
    let accommodation = LivingAccommodation(
      address: try invocation.required(address),
      placeName: try invocation.required(place)
    )
    trip.livingAccommodation = accommodation
    try context.save()
    console.print("You stay at \(accommodation.placeName.visible) on '\(trip.name.visible)'.")
  }
}
