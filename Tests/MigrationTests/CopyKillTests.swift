import Foundation
import OpenSwiftData
import StoreFiles
import StoreTestSupport
import Testing

@testable import JSONFileStore
@testable import SQLiteStore

@Suite("Interrupting a copy into an empty store")
struct CopyKillTests {
  private static let count = 2_100

  /// Creates a store in memory with more objects than a batch of a copy.
  private static func source() throws -> ModelContainer {
    let schema = Schema(versionedSchema: TripsV1.self)
    let container = try ModelContainer(for: schema, store: "memory:")
    let context = ModelContext(container)
    for number in 0..<count {
      let trip = TripsV1.Trip(title: "\(number)")
      trip.photo = number < 2 ? TripFixture.photo : nil
      context.insert(trip)
    }
    let first = try context.fetch(FetchDescriptor<TripsV1.Trip>())[0]
    context.insert(TripsV1.Stop(name: "s", trip: first))
    try context.save()
    return container
  }

  private static func configuration(
    _ isJSON: Bool,
    _ folder: String,
    _ access: FaultyFileAccess = FaultyFileAccess()
  ) -> any DataStoreConfiguration {
    if isJSON {
      var configuration = JSONFileStoreConfiguration(url: URL(filePath: folder + "/store.json"))
      configuration.access = access
      return configuration
    }
    var configuration = SQLiteStoreConfiguration(url: URL(filePath: folder + "/store.db"))
    configuration.access = access
    return configuration
  }

  private static func open(_ configuration: any DataStoreConfiguration) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: [configuration]
    )
  }

  /// Creates a store without objects, and closes it.
  private static func makeEmpty(_ isJSON: Bool, _ folder: String) throws {
    try open(configuration(isJSON, folder)).close()
  }

  /// Returns the number of trips, and expects that the store is complete.
  private static func trips(_ isJSON: Bool, _ folder: TemporaryFolder) throws -> Int {
    let container = try open(configuration(isJSON, folder.url.path))
    defer { try? container.close() }
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
    }
    #expect(try !folder.names().contains { $0.contains("migrating") })
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV1.Trip>())
    if !trips.isEmpty {
      #expect(trips.map(\.title) == (0..<count).map(String.init))
      #expect(trips.prefix(2).allSatisfy { $0.photo == TripFixture.photo })
      #expect(trips[0].stops.count == 1)
    }
    return trips.count
  }

  /// The stores with files, each as a target by its configuration and in an open container.
  private static let ways = EveryStore.files.flatMap { kind in [false, true].map { (kind, $0) } }

  private static func copy(
    to configuration: any DataStoreConfiguration,
    isOpen: Bool,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> ModelContainer.CopyReport {
    let source = try source()
    guard isOpen else { return try source.copy(toEmptyStoreOf: configuration, progress: progress) }
    return try source.copy(to: open(configuration), progress: progress)
  }

  /// The calls of a copy that change files.
  private static func changingCalls(_ isJSON: Bool, _ isOpen: Bool) throws -> [Int] {
    let folder = try TemporaryFolder()
    try makeEmpty(isJSON, folder.url.path)
    let access = FaultyFileAccess()
    let report = try copy(to: configuration(isJSON, folder.url.path, access), isOpen: isOpen)
    #expect(report.keepsKeys && report.total == count + 1)
    #expect(try trips(isJSON, folder) == count)
    let looks: Set<FileError.Operation> = [.status, .list, .lock, .read, .open, .openFolder]
    return access.calls.indices.filter { !looks.contains(access.calls[$0]) }
  }

  /// About ten calls, or two, distributed over the whole copy.
  private static func swept(_ calls: [Int]) -> [Int] {
    let some = stride(from: 0, to: calls.count, by: max(1, calls.count / 10)).map { calls[$0] }
    return Sweep.part(some, of: 2)
  }

  @Test(arguments: ways)
  func `by a kill at a file operation leaves the store empty or complete`(
    _ kind: EveryStore,
    isOpen: Bool
  ) async throws {
    let isJSON = kind == .json
    let calls = try Self.changingCalls(isJSON, isOpen)
    #expect(calls.count > 5)
    for call in Self.swept(calls) {
      let folder = try TemporaryFolder()
      try Self.makeEmpty(isJSON, folder.url.path)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          path = folder.url.path as String, call = call as Int, isJSON = isJSON as Bool,
          isOpen = isOpen as Bool
        ] in
        let access = FaultyFileAccess(.killing(call: call))
        _ = try Self.copy(to: Self.configuration(isJSON, path, access), isOpen: isOpen)
        kill(getpid(), SIGKILL)
      }
      let left = try Self.trips(isJSON, folder)
      #expect([0, Self.count].contains(left))
      if left == 0 { try Self.retry(isJSON, folder) }
    }
  }

  @Test(arguments: ways)
  func `by a kill between two batches leaves the store empty`(
    _ kind: EveryStore,
    isOpen: Bool
  ) async throws {
    let isJSON = kind == .json
    let folder = try TemporaryFolder()
    try Self.makeEmpty(isJSON, folder.url.path)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = folder.url.path as String, isJSON = isJSON as Bool, isOpen = isOpen as Bool] in
      _ = try Self.copy(to: Self.configuration(isJSON, path), isOpen: isOpen) { copied, total in
        if copied < total { kill(getpid(), SIGKILL) }
      }
    }
    #expect(try Self.trips(isJSON, folder) == 0)
    try Self.retry(isJSON, folder)
  }

  @Test(arguments: ways)
  func `by a full disk leaves the store empty or complete, and a retry fills it`(
    _ kind: EveryStore,
    isOpen: Bool
  ) throws {
    let isJSON = kind == .json
    let calls = try Self.changingCalls(isJSON, isOpen)
    for call in Self.swept(calls) {
      let folder = try TemporaryFolder()
      try Self.makeEmpty(isJSON, folder.url.path)
      let access = FaultyFileAccess(.from(call: call, code: ENOSPC))
      let target = Self.configuration(isJSON, folder.url.path, access)
      let isDone = (try? Self.copy(to: target, isOpen: isOpen)) != nil
      let left = try Self.trips(isJSON, folder)
      #expect(isDone ? left == Self.count : [0, Self.count].contains(left))
      if left == 0 { try Self.retry(isJSON, folder) }
    }
  }

  private static func retry(_ isJSON: Bool, _ folder: TemporaryFolder) throws {
    let url = configuration(isJSON, folder.url.path)
    #expect(try source().copy(toEmptyStoreOf: url, progress: { _, _ in }).total == count + 1)
    #expect(try trips(isJSON, folder) == count)
  }
}
