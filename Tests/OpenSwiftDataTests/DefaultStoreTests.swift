import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The store of a ModelConfiguration")
struct DefaultStoreTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Vehicle.self,
      Lorry.self,
      Garage.self,
      Driver.self,
      configurations: ModelConfiguration(url: folder.url.appending(path: "a.store"))
    )
    let context = ModelContext(container)
    for number in 0..<4 { context.insert(Vehicle("v\(number)", price: Double(number))) }
    try context.save()
  }

  private func store() throws -> DefaultStore {
    try #require(container.stores.first as? DefaultStore)
  }

  @Test func `is the SQLite store itself`()
    throws
  {
    #expect(ModelConfiguration.self == SQLiteStoreConfiguration.self)
    #expect(try store().name == container.configurations.first?.name)
    let folder = try TemporaryFolder()
    let named = try ModelContainer(
      for: Driver.self,
      store: EveryStore.sqlite.url(in: folder)
    )
    #expect(type(of: named.stores[0]) == type(of: container.stores[0]))
    // Observers are notified of other processes only by this watch.
    #expect(try store().watch() != nil)
  }

  @Test func `uses indexes, reports outcomes and computes aggregates as the SQLite store`() throws {
    let query = StoreQuery(
      entity: "Vehicle",
      filter: .compare(.equal, .property(.element(0), "name"), .constant(.string("v1")))
    )
    let store = try store()
    #expect(try store.explain(.query(query)).steps.contains { $0.contains("USING INDEX") })
    // The default implementation would throw `unsupportedFeature`.
    #expect(throws: DataStoreError.outcomeUnknown) { try store.outcome(ofSave: UUID()) }
    let context = ModelContext(container)
    #expect(try context.aggregate(FetchDescriptor<Vehicle>(), .sum(\.price)) == 6)
  }

  @Test func `can be verified, compacted and backed up through the container`() throws {
    let copy = folder.url.appending(path: "b.store")
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
      try store.compact()
      try store.backup(to: copy)
    }
    let other = try ModelContainer(
      for: Vehicle.self,
      Lorry.self,
      Garage.self,
      Driver.self,
      configurations: ModelConfiguration(url: copy)
    )
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Vehicle>()) == 4)
  }

  @Test func `executes SQL of the program, and contexts detect its changes`() throws {
    let context = ModelContext(container)
    let descriptor = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])
    let vehicles = try context.fetch(descriptor)
    try store().withWritableConnection {
      try $0.execute("UPDATE Vehicle SET price = 10 WHERE name IN (?, ?)", "v1", "v2")
    }
    #expect(try ModelContext(container).fetch(descriptor).map(\.price) == [0, 10, 10, 3])
    context.mergePolicy = .error
    vehicles[1].price = 20
    #expect(throws: (any Error).self) { try context.save() }
    context.rollback()
    _ = try context.refresh(vehicles[1], mergeChanges: true)
    #expect(vehicles[1].price == 10)
    vehicles[1].price = 20
    try context.save()
    let price = try store().withConnection {
      try $0.rows("SELECT price FROM Vehicle WHERE name = 'v1'").first?[0]
    }
    #expect(price == 20.0)
  }

  @Test func `is refused with SwiftData's errors if its file name is invalid`() {
    let wrong: [(ModelConfiguration, SwiftDataError)] = [
      (ModelConfiguration("a/b"), .configurationFileNameContainsInvalidCharacters),
      (ModelConfiguration("a\0b"), .configurationFileNameContainsInvalidCharacters),
      (ModelConfiguration(String(repeating: "a", count: 200)), .configurationFileNameTooLong),
      (
        ModelConfiguration(url: folder.file("a.journal")),
        .configurationFileNameContainsInvalidCharacters
      ),
    ]
    for (configuration, error) in wrong {
      #expect(throws: error) { try configuration.validate() }
    }
  }

  @Test func `has the settings of SwiftData's configuration`() {
    let file = folder.file("a.store")
    let inFile = ModelConfiguration("shop", url: file, allowsSave: false, cloudKitDatabase: .none)
    #expect(inFile.url == file && inFile.id == file && inFile.name == "shop")
    #expect(!inFile.allowsSave && !inFile.isStoredInMemoryOnly)
    #expect(inFile.debugDescription == "shop (\(file.path))")
    let group = ModelConfiguration(groupContainer: .identifier("group.shop"))
    #expect(group.groupAppContainerIdentifier == "group.shop")
    #expect(group.url == StoreLocation.applicationSupport.appending(path: "default.store"))
    #expect(group.cloudKitContainerIdentifier == nil)
    let inMemory = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(inMemory == inMemory && inMemory != ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(inMemory.debugDescription == "default (in memory)")
  }
}
