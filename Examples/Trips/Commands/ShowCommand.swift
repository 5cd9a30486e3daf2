import CommandLineSupport
import Foundation
import OpenSwiftData

/// `trips show`: all about one trip.
enum ShowCommand {
  static let command = Command("show", "Shows a trip.", arguments: [TripArguments.trip]) {
    invocation,
    console in
    let context = try TripsProgram.context(invocation)
    let trip = try context.trip(called: try invocation.required(TripArguments.trip))
    let distance = Day.distance(from: try TripsProgram.today(invocation), to: trip.startDate)
    console.print(trip.name.visible)
    console.print("\(trip.destination.visible), \(trip.days), \(distance)")
    console.print("Kind: \(trip.purpose)")
    console.print("Stay: \(stay(trip.livingAccommodation))")
    console.print(trip.bucketList.isEmpty ? "Nothing planned yet." : "Planned:")
    for item in trip.bucketList {
      console.print("  \(line(item))")
    }
    guard trip.hasNews else { return }
    trip.hasNews = false
    try context.save()
  }

  private static func stay(_ accommodation: LivingAccommodation?) -> String {
    guard let accommodation else { return "nowhere yet" }
    let address = accommodation.address.isEmpty ? "" : ", \(accommodation.address.visible)"
    let state = accommodation.isConfirmed ? "confirmed" : "not confirmed"
    return "\(accommodation.placeName.visible)\(address) (\(state))"
  }

  private static func line(_ item: BucketListItem) -> String {
    let mark = item.isInPlan ? "[x]" : "[ ]"
    let details = item.details.isEmpty ? "" : ": \(item.details.visible)"
    return "\(mark) \(item.title.visible)\(details)\(item.hasReservation ? " (reserved)" : "")"
  }
}
