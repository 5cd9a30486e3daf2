import Foundation
import OpenSwiftData
import TravelKit

/// Keeps journeys of TravelKit and receipts of its own in the store that its argument names.
@main
struct Logbook {
  static func main() throws {
    let store = CommandLine.arguments.dropFirst().first ?? "memory:"
    // snippet.library-models
    // The library's models, and the program's own, in any store.
    let container = try ModelContainer(for: Schema(Travel.models + [Receipt.self]), store: store)
    let travel = try Travel(container)
    try travel.add(to: "North", from: "Berlin", to: "Copenhagen", length: 434)
    // snippet.end
    try travel.add(to: "North", from: "Copenhagen", to: "Oslo", length: 606)
    let context = ModelContext(container)
    let north = FetchDescriptor<Journey>(predicate: #Predicate { $0.name == "North" })
    context.insert(Receipt("Ferry", amount: 49, journey: try context.fetch(north).first))
    try context.save()
    for journey in try travel.journeys() {
      let name = journey.name
      let paid = FetchDescriptor<Receipt>(predicate: #Predicate { $0.journey?.name == name })
      let amount = try context.fetch(paid).reduce(Decimal(0)) { $0 + $1.amount }
      let way = journey.legs.map(\.destination).joined(separator: ", ")
      print("\(name): \(way); \(amount) paid")
    }
  }
}
