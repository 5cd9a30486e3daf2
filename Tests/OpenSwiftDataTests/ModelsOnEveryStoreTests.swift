import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Models on every store")
struct ModelsOnEveryStoreTests {
  /// A garage with two vehicles, a driver of both and his mentor.
  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let garage = Garage("Bern")
    garage.vehicles = [Lorry("big", load: 40), Vehicle("small", price: -0.0)]
    let ada = Driver("Ada")
    let bob = Driver("Bob")
    ada.mentor = bob
    bob.mentor = ada
    context.insert(garage)
    context.insert(ada)
    for vehicle in garage.vehicles { vehicle.drivers = [bob, ada] }
    try context.save()
  }

  private func check(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    #expect(garage.vehicles.map(\.name) == ["big", "small"])
    #expect((garage.vehicles.first as? Lorry)?.load == 40)
    #expect(garage.vehicles.last?.price.sign == .minus)
    #expect(garage.vehicles.allSatisfy { $0.drivers.map(\.name) == ["Bob", "Ada"] })
    let drivers = try context.fetch(FetchDescriptor<Driver>(sortBy: [SortDescriptor(\.name)]))
    #expect(drivers.map(\.mentor?.name) == ["Bob", "Ada"])
    #expect(drivers.allSatisfy { $0.mentor?.mentor === $0 })
    #expect(drivers.allSatisfy { $0.vehicles.map(\.name) == ["big", "small"] })
  }

  @Test(arguments: EveryStore.allCases)
  func `are saved and read back, also after the store is reopened`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let url = store.url(in: folder)
    if store.persists {
      try { try fill(try ModelContainer(vehicles: url)) }()
      try check(try ModelContainer(vehicles: url))
    } else {
      let container = try ModelContainer(vehicles: url)
      try fill(container)
      try check(container)
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `are changed and deleted`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(vehicles: store.url(in: folder))
    try fill(container)
    let context = ModelContext(container)
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    garage.vehicles.swapAt(0, 1)
    garage.vehicles[0].name = "tiny"
    try context.save()
    let reader = ModelContext(container)
    let again = try #require(try reader.fetch(FetchDescriptor<Garage>()).first)
    #expect(again.vehicles.map(\.name) == ["tiny", "big"])
    reader.delete(again)
    try reader.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Vehicle>()) == 0)
    let drivers = try ModelContext(container).fetch(FetchDescriptor<Driver>())
    #expect(drivers.count == 2)
    #expect(drivers.allSatisfy { $0.vehicles.isEmpty })
  }

  @Test(arguments: EveryStore.allCases)
  func `are fetched with predicates, sort orders and windows`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(vehicles: store.url(in: folder))
    let context = ModelContext(container)
    for number in 0..<20 {
      let built = Date(timeIntervalSinceReferenceDate: Double(number % 4))
      context.insert(Vehicle("v\(number)", built: built, price: Double(number)))
    }
    try context.save()
    let since = Date(timeIntervalSinceReferenceDate: 2)
    var descriptor = FetchDescriptor<Vehicle>(
      predicate: #Predicate { $0.built >= since && $0.name != "v3" },
      sortBy: [SortDescriptor(\.built, order: .reverse), SortDescriptor(\.price)]
    )
    let all = try context.fetch(descriptor).map(\.name)
    #expect(all == ["v7", "v11", "v15", "v19", "v2", "v6", "v10", "v14", "v18"])
    descriptor.fetchOffset = 3
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.name) == ["v19", "v2"])
    #expect(try context.fetchCount(descriptor) == 2)
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(try context.fetch(descriptor).map(\.persistentModelID) == identifiers)
  }

  @Test(arguments: EveryStore.allCases)
  func `update a stored object with equal unique values`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(vehicles: store.url(in: folder))
    let context = ModelContext(container)
    let first = Vehicle("e\u{301}", price: 1)
    context.insert(first)
    try context.save()
    let other = ModelContext(container)
    let second = Vehicle("\u{e9}", price: 2)
    other.insert(second)
    try other.save()
    #expect(second.persistentModelID == first.persistentModelID)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Vehicle>()).map(\.price) == [2])
    context.insert(Vehicle("e\u{301}", price: 3))
    try context.save()
    #expect(first.price == 3)
    let rival = Vehicle("rival")
    context.insert(rival)
    try context.save()
    rival.name = "e\u{301}"
    #expect(throws: DataStoreError.uniqueConflict) { try context.save() }
    #expect(context.hasChanges)
    context.rollback()
    #expect(rival.name == "rival")
  }

  @Test(arguments: EveryStore.allCases)
  func `are erased without reuse of their identifiers`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(vehicles: store.url(in: folder))
    try fill(container)
    let last = try ModelContext(container).fetch(FetchDescriptor<Driver>())
      .map(\.persistentModelID).max()
    try container.erase()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garage>()) == 0)
    try fill(container)
    let next = try ModelContext(container).fetch(FetchDescriptor<Garage>())
      .map(\.persistentModelID).min()
    #expect(try #require(last?.integerKey) < #require(next?.integerKey))
  }

  @Test(arguments: [(EveryStore.sqlite, EveryStore.json), (.json, .sqlite), (.memory, .json)])
  func `are copied from one store to another`(from: EveryStore, to: EveryStore) throws {
    let folder = try TemporaryFolder()
    let other = try TemporaryFolder()
    let source = try ModelContainer(vehicles: from.url(in: folder))
    let target = try ModelContainer(vehicles: to.url(in: other))
    try fill(source)
    try source.copy(to: target)
    try check(target)
  }

  @Test func `are visible to a second container of the same file`() throws {
    for store in [EveryStore.sqlite, .json] {
      let folder = try TemporaryFolder()
      let first = try ModelContainer(vehicles: store.url(in: folder))
      let second = try ModelContainer(vehicles: store.url(in: folder))
      try fill(first)
      try check(second)
    }
  }
}

@Suite("Inherited properties in the queries of a subclass")
struct InheritedPropertyTests {
  @Test(arguments: EveryStore.allCases)
  func `can filter, sort and be prefetched`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(vehicles: store.url(in: folder))
    let context = ModelContext(container)
    let garage = Garage("Bern")
    for (number, name) in ["c", "a", "b"].enumerated() {
      let lorry = Lorry(name, load: number)
      lorry.drivers = [Driver("driver of \(name)")]
      lorry.garage = garage
      context.insert(lorry)
    }
    context.insert(Vehicle("d"))
    try context.save()
    let fresh = ModelContext(container)
    var descriptor = FetchDescriptor<Lorry>(
      predicate: #Predicate { $0.name != "c" && $0.garage?.city == "Bern" },
      sortBy: [SortDescriptor(\.name, order: .reverse)]
    )
    descriptor.relationshipKeyPathsForPrefetching = [\.drivers]
    let lorries = try fresh.fetch(descriptor)
    #expect(lorries.map(\.name) == ["b", "a"])
    #expect(lorries.map { $0.drivers.map(\.name) } == [["driver of b"], ["driver of a"]])
    descriptor.relationshipKeyPathsForPrefetching = [\.load]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try fresh.fetch(descriptor) }
  }
}
