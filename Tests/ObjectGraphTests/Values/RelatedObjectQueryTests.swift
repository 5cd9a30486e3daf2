import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Properties of a structured attribute")
struct RelatedObjectQueryTests {
  private func fill(_ fixture: ContainerFixture) throws -> ModelContext {
    let context = try fixture.context()
    for (name, city, floor) in [("a", "Rome", 3), ("b", "Oslo", 1), ("c", "Rome", 2)] {
      let flat = Flat(name, Spot(city: city, floor: floor, at: Fix(x: Double(floor) / 2)))
      flat.spare = floor > 1 ? Spot(city: city.uppercased(), floor: -floor, at: nil) : nil
      context.insert(flat)
    }
    try context.save()
    return try fixture.context()
  }

  private func names(
    _ context: ModelContext,
    _ predicate: Predicate<Flat>? = nil,
    _ order: [SortDescriptor<Flat>] = [SortDescriptor(\.name)]
  ) throws -> String {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.name).joined()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be used in filters`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Flat.self)
    let context = try fill(fixture)
    #expect(try names(context, #Predicate { $0.spot.city == "Rome" }) == "ac")
    #expect(try names(context, #Predicate { $0.spot.city == "Rome" && $0.spot.floor > 2 }) == "a")
    #expect(try names(context, #Predicate { $0.spot.at?.x == 0.5 }) == "b")
    #expect(try names(context, #Predicate { $0.spare?.city == "ROME" }) == "ac")
    #expect(try names(context, #Predicate { ($0.spare?.floor ?? 0) < -2 }) == "a")
    #expect(try names(context, #Predicate { $0.spare == nil }) == "b")
    #expect(try names(context, #Predicate { $0.spot.city.contains("s") }) == "b")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be used in sort orders, with unsaved objects too`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Flat.self)
    let context = try fill(fixture)
    #expect(try names(context, nil, [SortDescriptor(\.spot.floor)]) == "bca")
    #expect(
      try names(context, nil, [SortDescriptor(\.spot.city), SortDescriptor(\.spot.floor)]) == "bca"
    )
    context.insert(Flat("d", Spot(city: "Nice", floor: 0, at: nil)))
    try context.all(Flat.self).first { $0.name == "a" }?.spot.city = "Bonn"
    #expect(try names(context, nil, [SortDescriptor(\.spot.city)]) == "adbc")
    #expect(try names(context, #Predicate { $0.spot.city == "Rome" }) == "c")
    #expect(try names(context, #Predicate { $0.spot.floor < 1 }) == "d")
  }
}

private struct Fix: Codable, Hashable { var x: Double }

private struct Spot: Codable, Hashable {
  var city: String
  var floor: Int
  var at: Fix?
}

@Model
private final class Flat {
  var name: String
  var spot: Spot
  var spare: Spot?

  init(_ name: String, _ spot: Spot) {
    self.name = name
    self.spot = spot
  }
}
