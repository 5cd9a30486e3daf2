import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// The code of the pages about choosing and swapping stores.
@Suite struct `Stores in the guides` {
  @Test(arguments: [["json"], ["sqlite"], ["memory"]])
  func `are chosen by a configuration value`(_ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let configuration = Self.configuration(arguments, in: folder.url)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    try SampleTrips.fill(container)
    let names = try ModelContext(container).fetch(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]),
      select: \.name
    )
    #expect(names == ["Alps", "Fjords"])
  }

  static func configuration(
    _ arguments: [String],
    in folder: URL
  ) -> any DataStoreConfiguration {
    // snippet.store-values
    let configuration: any DataStoreConfiguration =
      switch arguments.first {
      case "json": JSONFileStoreConfiguration(url: folder.appending(path: "trips.json"))
      case "memory": MemoryStoreConfiguration()
      default: SQLiteStoreConfiguration(url: folder.appending(path: "trips.db"))
      }
    // snippet.end
    return configuration
  }

  @Test func `can be several in one container`() throws {
    let folder = try TemporaryFolder()
    let container = try Self.two(in: folder.url)
    let context = ModelContext(container)
    context.insert(Trip(name: "Fjords"))
    context.insert(Preference(name: "currency", value: "NOK"))
    try context.save()
    #expect(container.stores.count == 2)
    #expect(try folder.names().contains("preferences.json"))
  }

  static func two(in folder: URL) throws -> ModelContainer {
    // snippet.two-stores
    let container = try ModelContainer(
      for: Schema([Trip.self, Preference.self]),
      configurations: SQLiteStoreConfiguration(
        schema: Schema([Trip.self]),
        url: folder.appending(path: "trips.db")
      ),
      JSONFileStoreConfiguration(
        schema: Schema([Preference.self]),
        url: folder.appending(path: "preferences.json")
      )
    )
    // snippet.end
    return container
  }

  @Test func `are copied to another store`() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("trips.db").path
    let count = try Self.copy(SampleTrips.container(), to: "sqlite:\(url)")
    #expect(count == 7)
  }

  static func copy(_ container: ModelContainer, to url: String) throws -> Int {
    // snippet.copy-store
    let other = try ModelContainer(for: Trip.self, store: url)
    let report = try container.copy(to: other)
    print("\(report.total) objects, compared")
    // snippet.end
    return report.total
  }

  @Test func `can have custom URL schemes`() throws {
    Self.register()
    let container = try ModelContainer(for: Trip.self, store: "scratch:")
    #expect(container.allConfigurations.first is MemoryStoreConfiguration)
  }

  static func register() {
    // snippet.own-scheme
    StoreScheme.register(
      StoreScheme(name: "scratch", summary: "in memory, under a name of its own") { _, schema in
        MemoryStoreConfiguration(schema: schema)
      }
    )
    // snippet.end
  }

  @Test func `report their capabilities`() throws {
    let container = try SampleTrips.container()
    try Self.ask(container)
    #expect(container.capabilities(for: Trip.self)?.durability == .some(.none))
  }

  static func ask(_ container: ModelContainer) throws {
    // snippet.capabilities
    if let capabilities = container.capabilities(for: Trip.self) {
      print(capabilities.filtering, capabilities.durability)
    }
    let context = ModelContext(container)
    let long = 2
    let descriptor = FetchDescriptor<Stop>(predicate: #Predicate { $0.nights > long })
    print(try context.explain(descriptor))
    // snippet.end
  }

  @Test func `are verified and backed up`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.db").path
    let container = try ModelContainer(for: Trip.self, store: "sqlite:\(path)")
    try SampleTrips.fill(container)
    try Self.maintain(container, backup: folder.file("backup.db"))
    #expect(try folder.names().contains("backup.db"))
  }

  static func maintain(_ container: ModelContainer, backup: URL) throws {
    // snippet.maintain
    for case let store as any MaintainableStore in container.stores {
      for problem in try store.verify() { print(problem) }
      try store.backup(to: backup)
    }
    // snippet.end
  }
}

// snippet.preference-model
@Model
final class Preference {
  @Attribute(.unique) var name: String
  var value: String

  init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
// snippet.end
