import CommandLineSupport
import OpenSwiftData

/// `trips plan`: something to do on a trip.
enum PlanCommand {
  static let title = Argument("TITLE", "What to do.")
  static let details = Option("details", value: "TEXT", "More about it.", default: "")
  static let maybe = Option.flag("maybe", "It is a wish, not a plan yet.")

  static let command = Command(
    "plan",
    "Puts something on the bucket list of a trip.",
    options: [details, maybe],
    arguments: [TripArguments.trip, title]
  ) { invocation, console in
    let context = try TripsProgram.context(invocation)
    let trip = try context.trip(called: try invocation.required(TripArguments.trip))
    let item = BucketListItem(
      title: try invocation.required(title),
      details: try invocation.required(details),
      isInPlan: !invocation.isSet(maybe)
    )
    trip.bucketList.append(item)
    try context.save()
    let count = trip.bucketList.count
    let things = count == 1 ? "1 thing" : "\(count) things"
    console.print("'\(trip.name.visible)' has \(things) on its list now.")
  }
}
