import Foundation
import OpenSwiftData

/// Two trips with five stops in memory, on which the code of the pages is tried.
enum SampleTrips {
  static func container() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Trip.self,
      configurations: MemoryStoreConfiguration()
    )
    try fill(container)
    return container
  }

  static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let fjords = Trip(name: "Fjords", start: Date(timeIntervalSinceReferenceDate: 1_000))
    fjords.price = 900
    fjords.stops = [Stop("Bergen"), Stop("Flåm", nights: 2)]
    let alps = Trip(name: "Alps", start: Date(timeIntervalSinceReferenceDate: 2_000))
    alps.stops = [Stop("Bern", nights: 3), Stop("Chur"), Stop("Zermatt", nights: 4)]
    context.insert(fjords)
    context.insert(alps)
    try context.save()
  }

  /// Saves another name of a trip.
  static func rename(in container: ModelContainer) throws {
    let context = ModelContext(container)
    for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.name == "Fjords" {
      trip.name = "Fjords again"
    }
    try context.save()
  }
}
