import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Selected values on every store")
struct SelectingTests {
  /// Twelve vehicles, every third a lorry, in two garages or without a garage.
  private func filled(_ store: EveryStore, in folder: TemporaryFolder) throws -> ModelContext {
    let container = try ModelContainer(vehicles: store.url(in: folder))
    let context = ModelContext(container)
    let garages = [Garage("Bern"), Garage("Rome")]
    for number in 0..<12 {
      let vehicle = number % 3 == 0 ? Lorry("v\(number)", load: number * 10) : Vehicle("v\(number)")
      vehicle.price = Double(number) / 2
      vehicle.built = Date(timeIntervalSinceReferenceDate: Double(number % 4))
      vehicle.garage = number % 3 == 2 ? nil : garages[number % 2]
      context.insert(vehicle)
    }
    try context.save()
    return ModelContext(container)
  }

  @Test(arguments: EveryStore.allCases)
  func `of one or several columns are in order and within the window`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    var descriptor = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.price, order: .reverse)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor, select: \.name) == ["v10", "v9", "v8"])
    let rows = try context.fetch(descriptor, select: \.name, \.garage?.city, \.price)
    #expect(rows.map(\.0) == ["v10", "v9", "v8"])
    #expect(rows.map(\.1) == ["Bern", "Rome", nil])
    #expect(rows.map(\.2) == [5, 4.5, 4])
    #expect(context.debugDescription.hasPrefix("ModelContext: 0 registered"))
  }

  @Test(arguments: EveryStore.allCases)
  func `can be identifiers, dates and properties of subclasses`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let descriptor = FetchDescriptor<Lorry>(sortBy: [SortDescriptor(\.load)])
    let rows = try context.fetch(descriptor, select: \.persistentModelID, \.load, \.built)
    #expect(rows.map(\.0) == (try context.fetchIdentifiers(descriptor)))
    #expect(rows.map(\.1) == [0, 30, 60, 90])
    #expect(rows.map(\.2.timeIntervalSinceReferenceDate) == [0, 3, 2, 1])
  }

  @Test(arguments: EveryStore.allCases)
  func `include aggregates of all objects`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let all = FetchDescriptor<Vehicle>()
    let (count, sum, mean) = try context.aggregate(all, .count, .sum(\.price), .average(\.price))
    #expect(count == 12)
    #expect(sum == 33)
    #expect(mean == 2.75)
    let last = try context.aggregate(all, .maximum(\.name))
    #expect(last == "v9")
    #expect(try context.aggregate(all, .distinctCount(of: \.built)) == 4)
    #expect(try context.aggregate(all, .count(where: #Predicate { $0.garage == nil })) == 4)
    let none = FetchDescriptor<Lorry>(predicate: #Predicate { $0.load > 1_000 })
    let (nothing, largest, total) = try context.aggregate(
      none,
      .count,
      .maximum(\.load),
      .sum(\.load)
    )
    #expect(nothing == 0)
    #expect(largest == nil)
    #expect(total == 0)
    let doubled = #Expression<Lorry, Int> { $0.load * 2 }
    #expect(try context.aggregate(FetchDescriptor(), .sum(doubled)) == 360)
  }

  @Test(arguments: EveryStore.allCases)
  func `can be grouped with conditions, sort orders and windows`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let all = FetchDescriptor<Vehicle>()
    let byCity = try context.fetch(
      all,
      groupedBy: \.garage?.city,
      aggregates: .count,
      .sum(\.price)
    )
    #expect(byCity.map(\.key) == [nil, "Bern", "Rome"])
    #expect(byCity.map(\.values.0) == [4, 4, 4])
    #expect(byCity.map(\.values.1) == [13, 10, 10])
    let dear = try context.fetch(
      all,
      groupedBy: \.garage?.city,
      \.built,
      aggregates: .maximum(\.price),
      having: .maximum(\.price) > 3.5 && !(.count > 2),
      sortBy: [.descending(.maximum(\.price)), .ascending(\.built)]
    )
    #expect(dear.map(\.values) == [5.5, 5, 4.5, 4])
    #expect(dear.map(\.key.0) == [nil, "Bern", "Rome", nil])
    var window = all
    window.fetchLimit = 2
    window.fetchOffset = 1
    let days = try context.fetch(
      window,
      groupedBy: \.built,
      aggregates: .count,
      sortBy: [.descending(\.built)]
    )
    #expect(days.map(\.key.timeIntervalSinceReferenceDate) == [2, 1])
    #expect(try context.fetchDistinct(all, \.garage?.city) == [nil, "Bern", "Rome"])
  }

  @Test(arguments: EveryStore.allCases)
  func `include unsaved changes`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let all = FetchDescriptor<Vehicle>()
    let one = try #require(
      try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.name == "v1" })).first
    )
    one.price = 100
    context.insert(Vehicle("new", price: 7))
    let byName = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.price, order: .reverse)])
    let pending = try context.fetch(byName, select: \.name, \.price)
    #expect(pending.prefix(2).map(\.0) == ["v1", "new"])
    let sum = try context.aggregate(all, .sum(\.price))
    let groups = try context.fetch(all, groupedBy: \.garage?.city, aggregates: .sum(\.price))
    try context.save()
    let later = ModelContext(context.container)
    #expect(try later.fetch(byName, select: \.name, \.price).map(\.0) == pending.map(\.0))
    #expect(try later.aggregate(all, .sum(\.price)) == sum)
    let stored = try later.fetch(all, groupedBy: \.garage?.city, aggregates: .sum(\.price))
    #expect(stored.map(\.values) == groups.map(\.values))
  }

  @Test(arguments: EveryStore.allCases)
  func `are an error if they are unsupported or overflow`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let all = FetchDescriptor<Vehicle>()
    let sorted = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetch(all, select: \.garage)
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(sorted, groupedBy: \.built, aggregates: .count)
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(all, groupedBy: \.built, aggregates: .count, sortBy: [.ascending(\.name)])
    }
    for lorry in try context.fetch(FetchDescriptor<Lorry>()) { lorry.load = .max }
    #expect(throws: DataStoreError.invalidValue) {
      try context.aggregate(FetchDescriptor<Lorry>(), .sum(\.load))
    }
    try context.save()
    #expect(throws: DataStoreError.invalidValue) {
      try context.aggregate(FetchDescriptor<Lorry>(), .sum(\.load))
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `are grouped into sections of objects`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let byPrice = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.price, order: .reverse)])
    let sections = try context.fetch(byPrice, sectionBy: \.garage?.city)
    #expect(sections.map(\.title) == [nil, "Bern", "Rome"])
    #expect(sections[1].map(\.name) == ["v10", "v6", "v4", "v0"])
    let backwards = FetchDescriptor<Vehicle>(
      sortBy: [SortDescriptor(\.built, order: .reverse), SortDescriptor(\.name)]
    )
    let days = try context.fetch(backwards, sectionBy: \.built)
    #expect(days.map(\.title.timeIntervalSinceReferenceDate) == [3, 2, 1, 0])
    #expect(days.first?.map(\.name) == ["v11", "v3", "v7"])
  }
}
