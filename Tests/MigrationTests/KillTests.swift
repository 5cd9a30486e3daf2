import Foundation
import OpenSwiftData
import StoreFiles
import StoreTestSupport
import Testing

@testable import JSONFileStore
@testable import SQLiteStore

@Suite("A kill during a migration")
struct KillTests {
  private static func sqlite(_ folder: String) -> SQLiteStoreConfiguration {
    SQLiteStoreConfiguration(url: URL(filePath: folder + "/store.db"))
  }

  private static func json(_ folder: String) -> JSONFileStoreConfiguration {
    JSONFileStoreConfiguration(url: URL(filePath: folder + "/store.json"))
  }

  private static func open(
    _ configuration: any DataStoreConfiguration,
    _ version: any VersionedSchema.Type,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version),
      migrationPlan: plan,
      configurations: [configuration]
    )
  }

  private static func fill(_ configuration: any DataStoreConfiguration) throws {
    let context = ModelContext(try open(configuration, TripsV1.self, nil))
    for number in 0..<50 {
      let trip = TripsV1.Trip(title: "\(number)")
      trip.length = "\(number)"
      trip.photo = number < 3 ? TripFixture.photo : nil
      context.insert(trip)
      context.insert(TripsV1.Stop(name: "s", trip: trip))
    }
    try context.save()
  }

  /// Expects that the next start completes a store of the first or the third version.
  private static func check(_ configuration: any DataStoreConfiguration) throws {
    let container = try open(configuration, TripsV3.self, TripPlan.self)
    let context = ModelContext(container)
    let order = [SortDescriptor(\TripsV3.Trip.length)]
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>(sortBy: order))
    #expect(trips.map(\.name) == (0..<50).map(String.init))
    #expect(trips.map(\.length) == Array(0..<50))
    #expect(trips.prefix(3).allSatisfy { $0.photo == TripFixture.photo })
    #expect(trips.allSatisfy { $0.stops.count == 1 })
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
    }
  }

  private static func steps(in folder: String) throws -> Int {
    let log = StatementLog()
    var configuration = sqlite(folder)
    configuration.log = log
    _ = try open(configuration, TripsV3.self, TripPlan.self)
    return log.counts.stepped
  }

  @Test func `at a SQLite statement leaves the old or the new store`() async throws {
    let first = try TemporaryFolder()
    try Self.fill(Self.sqlite(first.url.path))
    let count = try Self.steps(in: first.url.path)
    #expect(count > 500)
    var generator = SeededGenerator(seed: 9)
    let steps = (0..<25).map { _ in Int.random(in: 1...count, using: &generator) }
    for step in Sweep.part(steps, of: 6) {
      let folder = try TemporaryFolder()
      let path = folder.url.path
      try Self.fill(Self.sqlite(path))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, step = step as Int] in
        var configuration = Self.sqlite(path)
        configuration.log = StatementLog { if $0 == step { kill(getpid(), SIGKILL) } }
        _ = try Self.open(configuration, TripsV3.self, TripPlan.self)
        kill(getpid(), SIGKILL)
      }
      try Self.check(Self.sqlite(path))
      #expect(try !folder.names().contains { $0.contains("migrating") })
    }
  }

  private static func configuration(
    _ kind: EveryStore,
    _ folder: String,
    _ access: FaultyFileAccess
  ) -> any DataStoreConfiguration {
    if kind == .json {
      var configuration = json(folder)
      configuration.access = access
      return configuration
    }
    var configuration = sqlite(folder)
    configuration.access = access
    return configuration
  }

  /// The calls of a migration that change files.
  ///
  /// A kill before a call that only reads equals one before the next call.
  private static func changingCalls(_ kind: EveryStore) throws -> [Int] {
    let folder = try TemporaryFolder()
    let access = FaultyFileAccess()
    let configuration = configuration(kind, folder.url.path, access)
    try fill(configuration)
    access.reset()
    _ = try open(configuration, TripsV3.self, TripPlan.self)
    let looks: Set<FileError.Operation> = [.status, .list, .lock, .read, .open, .openFolder]
    return access.calls.indices.filter { !looks.contains(access.calls[$0]) }
  }

  @Test(arguments: EveryStore.files)
  func `at a file operation leaves the old or the new store`(
    _ kind: EveryStore
  ) async throws {
    let calls = try Self.changingCalls(kind)
    #expect(calls.count > 10)
    for call in Sweep.part(Array(calls.shuffledOnce(seed: 5).prefix(25)), of: 6) {
      let folder = try TemporaryFolder()
      let path = folder.url.path
      try Self.fill(Self.configuration(kind, path, FaultyFileAccess()))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, call = call as Int, isJSON = (kind == .json) as Bool] in
        let access = FaultyFileAccess(.killing(call: call))
        let kind = isJSON ? EveryStore.json : .sqlite
        let configuration = Self.configuration(kind, path, access)
        _ = try Self.open(configuration, TripsV3.self, TripPlan.self)
        kill(getpid(), SIGKILL)
      }
      try Self.check(Self.configuration(kind, path, FaultyFileAccess()))
    }
  }
}

extension [Int] {
  /// The numbers in a random order that is the same in every run.
  fileprivate func shuffledOnce(seed: UInt64) -> [Int] {
    var generator = SeededGenerator(seed: seed)
    return shuffled(using: &generator)
  }
}
