import CommandLineSupport
import Foundation
import OpenSwiftData

/// `trips add`: a new trip.
enum AddCommand {
  static let name = Argument("NAME", "What to call it.")
  static let destination = Option("to", value: "PLACE", "Where it goes.", isRequired: true)
  static let start = Option("from", value: "DATE", "The first day.", isRequired: true)
  static let end = Option("until", value: "DATE", "The last day.", isRequired: true)
  static let reason = Option(
    "reason",
    value: "REASON",
    "Makes it a personal trip.",
    choices: PersonalTrip.Reason.allCases.map(\.rawValue)
  )
  static let perDiem = Option(
    "per-diem",
    value: "AMOUNT",
    "Makes it a business trip with so much money a day."
  )

  static let command = Command(
    "add",
    "Adds a trip.",
    options: [destination, start, end, reason, perDiem],
    arguments: [name]
  ) { invocation, console in
    let trip = try trip(invocation)
    let context = try TripsProgram.context(invocation)
    let (name, start, end) = (trip.name, trip.startDate, trip.endDate)
    let same = #Predicate<Trip> { $0.name == name && $0.startDate == start && $0.endDate == end }
    guard try context.fetchCount(FetchDescriptor(predicate: same)) == 0 else {
      throw CommandFailure("there is a trip '\(name)' on these days already")
    }
    context.insert(trip)
    try context.save()
    console.print("Added '\(trip.name)' to \(trip.destination), \(trip.days).")
  }

  private static func trip(_ invocation: Invocation) throws -> Trip {
    let name = try invocation.required(name)
    let destination = try invocation.required(destination)
    let start = try Day.parsed(try invocation.required(start), option: start)
    let end = try Day.parsed(try invocation.required(end), option: end)
    guard start <= end else { throw UsageError("a trip cannot end before it begins") }
    switch (try reason(invocation), try perDiem(invocation)) {
    case (let reason?, nil):
      return PersonalTrip(
        name: name,
        destination: destination,
        startDate: start,
        endDate: end,
        reason: reason
      )
    case (nil, let perDiem?):
      return BusinessTrip(
        name: name,
        destination: destination,
        startDate: start,
        endDate: end,
        perDiem: perDiem
      )
    case (nil, nil):
      return Trip(name: name, destination: destination, startDate: start, endDate: end)
    default:
      throw UsageError("a trip is either personal, by '--reason', or business, by '--per-diem'")
    }
  }

  private static func reason(_ invocation: Invocation) throws -> PersonalTrip.Reason? {
    invocation.text(reason).flatMap(PersonalTrip.Reason.init)
  }

  private static func perDiem(_ invocation: Invocation) throws -> Double? {
    guard let text = invocation.text(perDiem) else { return nil }
    guard let amount = Double(text), (0...1_000_000).contains(amount) else {
      throw UsageError("'--per-diem' takes an amount such as 120.50, not '\(text)'")
    }
    return amount
  }
}
