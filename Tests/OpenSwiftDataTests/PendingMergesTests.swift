import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A fetch with unsaved random changes")
struct PendingMergesTests {
  /// The values of fetched objects; the objects themselves may be merged by the save.
  private struct Results: Equatable {
    var rows: [[String]] = []
    var counts: [Int] = []

    init(_ context: ModelContext) throws {
      for descriptor in try Self.descriptors() {
        rows.append(
          try context.fetch(descriptor).map {
            // Drivers are not compared, as the save combines those of merged vehicles.
            "\($0.name) \($0.price) \($0.garage?.city ?? "-")"
          }
        )
        counts.append(try context.fetchCount(descriptor))
      }
      let garages = FetchDescriptor<Garage>(
        predicate: #Predicate { garage in garage.vehicles.contains { $0.price > 2 } }
      )
      rows.append(try context.fetch(garages).map(\.city))
    }

    private static func descriptors() throws -> [FetchDescriptor<Vehicle>] {
      var window = FetchDescriptor<Vehicle>(
        sortBy: [SortDescriptor(\.price, order: .reverse)]
      )
      window.fetchOffset = 1
      window.fetchLimit = 3
      let dear = #Predicate<Vehicle> { $0.price > 2 }
      let names = ["v1", "v4", "v6"]
      let named = #Predicate<Vehicle> { names.contains($0.name) }
      var dearest = FetchDescriptor(predicate: dear, sortBy: [SortDescriptor(\.price)])
      dearest.fetchLimit = 2
      var partial = FetchDescriptor(predicate: named)
      partial.propertiesToFetch = [\.price]
      let inBern = #Predicate<Vehicle> { $0.garage?.city == "Bern" }
      let driven = #Predicate<Vehicle> { vehicle in !vehicle.drivers.isEmpty }
      return [
        FetchDescriptor(), window, FetchDescriptor(predicate: dear),
        FetchDescriptor(predicate: inBern, sortBy: [SortDescriptor(\.name)]),
        FetchDescriptor(predicate: driven), dearest, partial,
        FetchDescriptor(sortBy: [SortDescriptor(\.garage?.city), SortDescriptor(\.price)]),
      ]
    }
  }

  @Test(arguments: EveryStore.allCases, Sweep.part([UInt64(1), 2, 3, 4, 5, 6], of: 2))
  func `has the same results as a fetch after the save`(store: EveryStore, seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    let context = ModelContext(try ModelContainer(vehicles: store.url(in: folder)))
    for round in 0..<8 {
      for _ in 0..<6 { try change(context, &random) }
      let pending = try Results(context)
      try context.save()
      let stored = try Results(ModelContext(context.container))
      #expect(pending == stored, "seed \(seed), round \(round)")
      if pending != stored { return }
    }
  }

  private func change(_ context: ModelContext, _ random: inout SeededGenerator) throws {
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>())
    let vehicle = vehicles.randomElement(using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3:
      // Few names, so that many new vehicles are updates of stored ones or of each other.
      let name = "v\(Int.random(in: 0..<8, using: &random))"
      let new = Vehicle(name, price: Double(Int.random(in: 0..<5, using: &random)))
      context.insert(new)
      new.garage = try context.fetch(FetchDescriptor<Garage>()).randomElement(using: &random)
    case 4: context.insert(Garage(["Bern", "Rome"].randomElement(using: &random) ?? ""))
    case 5:
      let driver = Driver("d\(Int.random(in: 0..<9, using: &random))")
      context.insert(driver)
      vehicle?.drivers.append(driver)
    case 6: vehicle?.price = Double(Int.random(in: 0..<5, using: &random))
    case 7:
      vehicle?.garage = try context.fetch(FetchDescriptor<Garage>()).randomElement(using: &random)
    case 8: if let vehicle { context.delete(vehicle) }
    default:
      let garages = try context.fetch(FetchDescriptor<Garage>())
      if let garage = garages.randomElement(using: &random) { garage.city += "!" }
    }
  }
}
