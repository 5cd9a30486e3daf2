// snippet.travels-open
import OpenSwiftData

let store = CommandLine.arguments.dropFirst().first ?? "json:travels.json?journal=off"
let container = try ModelContainer(for: Trip.self, store: store)
let context = ModelContext(container)
// snippet.end

// snippet.travels-save
if try context.fetchCount(FetchDescriptor<Trip>()) == 0 {
  let fjords = Trip(name: "Fjords")
  fjords.stops = [Stop("Bergen"), Stop("Flåm", nights: 2)]
  let alps = Trip(name: "Alps")
  alps.stops = [Stop("Bern", nights: 3), Stop("Zermatt", nights: 4)]
  context.insert(fjords)
  context.insert(alps)
  try context.save()
}

for trip in try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) {
  print("\(trip.name): \(trip.stops.map(\.place).joined(separator: ", "))")
}
// snippet.end

// snippet.travels-ask
let long = 3
let slow = FetchDescriptor<Trip>(
  predicate: #Predicate { trip in trip.stops.contains { $0.nights >= long } },
  sortBy: [SortDescriptor(\.name)]
)
print("Slow ones: \(try context.fetch(slow).map(\.name))")

let nights = try context.aggregate(FetchDescriptor<Stop>(), .sum(\.nights))
print("Nights in all: \(nights)")
// snippet.end
