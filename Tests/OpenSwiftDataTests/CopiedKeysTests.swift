import ComposableStores
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A copy of a store")
struct KeptKeysTests {
  static let pairs = EveryStore.allCases.flatMap { from in EveryStore.allCases.map { (from, $0) } }

  private let folder: TemporaryFolder
  private let other: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    other = try TemporaryFolder()
  }

  /// A store with gaps between its keys, references in both directions, and a deleted last key.
  private func source(_ kind: EveryStore) throws -> ModelContainer {
    let container = try ModelContainer(vehicles: kind.url(in: folder))
    let context = ModelContext(container)
    var vehicles: [Vehicle] = []
    for number in 0..<12 {
      let vehicle = number % 3 == 0 ? Lorry("v\(number)", load: number) : Vehicle("v\(number)")
      context.insert(vehicle)
      vehicles.append(vehicle)
      try context.save()
    }
    let garage = Garage("late")
    context.insert(garage)
    garage.vehicles = [vehicles[8], vehicles[2], vehicles[5]]
    let early = Driver("Ada")
    context.insert(early)
    early.vehicles = [vehicles[4]]
    try context.save()
    for number in [0, 1, 3, 7, 11] { context.delete(vehicles[number]) }
    let gone = Driver("gone")
    context.insert(gone)
    try context.save()
    context.delete(gone)
    try context.save()
    return container
  }

  private func names(in container: ModelContainer) throws -> [PersistentIdentifier.Key: String] {
    let vehicles = try ModelContext(container).fetch(FetchDescriptor<Vehicle>())
    return Dictionary(
      uniqueKeysWithValues: vehicles.map { ($0.persistentModelID.key, $0.name) }
    )
  }

  private func nextKey(in container: ModelContainer) throws -> PersistentIdentifier.Key {
    let context = ModelContext(container)
    let driver = Driver("next")
    context.insert(driver)
    try context.save()
    return driver.persistentModelID.key
  }

  @Test(arguments: pairs)
  func `keeps all keys and the next key in an empty store of any kind`(
    from: EveryStore,
    to: EveryStore
  ) throws {
    let source = try source(from)
    let target = try ModelContainer(vehicles: to.url(in: other))
    let report = try source.copy(to: target)
    #expect(report.keepsKeys)
    #expect(report.total == 9)
    #expect(try names(in: target) == names(in: source))
    try holdsAll(target)
    #expect(try nextKey(in: target) == nextKey(in: source))
  }

  @Test(arguments: EveryStore.allCases)
  func `has new keys in a store that has assigned keys before, and reports it`(
    to: EveryStore
  ) throws {
    let source = try source(.memory)
    let target = try ModelContainer(vehicles: to.url(in: other))
    for _ in 0..<5 { _ = try nextKey(in: target) }
    try target.erase()
    let report = try source.copy(to: target)
    #expect(!report.keepsKeys && report.total == 9)
    let before = try names(in: source).sorted { "\($0.key)" < "\($1.key)" }
    #expect(try Set(names(in: target).values) == Set(before.map(\.value)))
    #expect(try names(in: target) != names(in: source))
    try holdsAll(target)
  }

  @Test(arguments: EveryStore.allCases)
  func `is one save of an open store, even if the store assigns keys itself`(
    from: EveryStore
  ) throws {
    let source = try source(from)
    let schema = Schema(Vehicle.self, Lorry.self, Garage.self, Driver.self)
    let targets: [any DataStoreConfiguration] = [
      try StoreScheme.configuration(for: from.url(in: other), schema: schema),
      FrugalStore.Configuration(thrift: .takesNoOrder),
    ]
    for target in targets {
      let counter = StoreCounter()
      let counted = try target.counted(by: counter)
      let container = try ModelContainer(for: schema, configurations: [counted])
      var report: ModelContainer.CopyReport?
      let count = try counter.count { report = try source.copy(to: container) }
      #expect(count.saves == 1, "\(count)")
      #expect(report?.total == 9)
      #expect(report?.keepsKeys == !(target is FrugalStore.Configuration))
      try holdsAll(container)
    }
  }

  /// The relationships that ``source(_:)`` makes, the order of one included.
  private func holdsAll(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    #expect(garage.vehicles.map(\.name) == ["v8", "v2", "v5"])
    let driver = try #require(try context.fetch(FetchDescriptor<Driver>()).first)
    #expect(driver.vehicles.map(\.name) == ["v4"])
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `appears under its name only when it is complete`(to: EveryStore) throws {
    let source = try source(.sqlite)
    let url = to.url(in: other)
    var seen: [Set<String>] = []
    let report = try source.copy(toNewStore: url) { _, _ in
      seen.append(Set((try? other.names()) ?? []))
    }
    #expect(report.keepsKeys)
    let path = try StoreURL(url).path
    let name = URL(filePath: path).lastPathComponent
    // During the copy there is a folder, and no store.
    #expect(!seen.isEmpty && seen.allSatisfy { $0 == ["\(name).copying"] })
    #expect(try !other.names().contains { $0.hasSuffix(".copying") })
    let copy = try ModelContainer(vehicles: url)
    #expect(try names(in: copy) == names(in: source))
    for case let store as any MaintainableStore in copy.stores {
      #expect(try store.verify() == [])
    }
    #expect(try nextKey(in: copy) == nextKey(in: source))
    let error = #expect(throws: DataStoreError.self) { try source.copy(toNewStore: url) }
    #expect(error == .invalidConfiguration)
    // The refused copy has not closed the store for others.
    #expect(throws: Never.self) { try nextKey(in: copy) }
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `replaces a partial copy that a killed process left`(to: EveryStore) throws {
    let source = try source(.memory)
    let url = to.url(in: other)
    let path = try StoreURL(url).path
    let name = URL(filePath: path).lastPathComponent
    let left = URL(filePath: path + ".copying")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
    do {
      let part = try ModelContainer(
        vehicles: "\(to == .json ? "json" : "sqlite"):\(left.path)/\(name)"
      )
      _ = try nextKey(in: part)
    }
    #expect(try source.copy(toNewStore: url).keepsKeys)
    #expect(try names(in: ModelContainer(vehicles: url)) == names(in: source))
    #expect(try !other.names().contains { $0.hasSuffix(".copying") })
  }
}
