import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import StoreTestSupport
import Testing

/// A store that the first version of the program has written.
struct TripFixture {
  static let photo = Data(repeating: 7, count: 40_000)

  let kind: EveryStore
  let folder: TemporaryFolder

  init(_ kind: EveryStore, titles: [String] = ["a", "b"]) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    let context = ModelContext(try open(TripsV1.self))
    let tag = TripsV1.Tag(name: "t")
    for (index, title) in titles.enumerated() {
      let trip = TripsV1.Trip(title: title)
      trip.cost = Int32(index + 1)
      trip.length = "\(index + 5)"
      trip.photo = index == 0 ? Self.photo : nil
      trip.tags = [tag]
      context.insert(trip)
      for name in ["x", "y", "z"] { context.insert(TripsV1.Stop(name: name, trip: trip)) }
      trip.stops = trip.stops.sorted { $0.name > $1.name }
    }
    context.insert(TripsV1.Dog(name: "rex", age: 4))
    try context.save()
  }

  func open(
    _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)? = nil,
    _ options: MigrationOptions = MigrationOptions()
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version),
      migrationPlan: plan,
      migrationOptions: options,
      configurations: [try configuration]
    )
  }

  var configuration: any DataStoreConfiguration {
    get throws {
      switch kind {
      case .json: JSONFileStoreConfiguration(url: folder.file("store.json"))
      case .postgreSQL: try PostgreSQLStoreConfiguration(url: kind.url(in: folder))
      default: ModelConfiguration(url: folder.file("store.db"))
      }
    }
  }

  /// Nothing of the copy that a migration works on is left, and the store is whole.
  func checkFiles(_ container: ModelContainer) throws {
    #expect(try !folder.names().contains { $0.contains("migrating") })
    if kind == .postgreSQL {
      let name = folder.url.lastPathComponent
      #expect(try PrivateCluster.shared().schemas(beginningWith: name) == [name])
    }
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
    }
  }
}

extension EveryStore {
  static let files: [EveryStore] = [.sqlite, .json]
}
