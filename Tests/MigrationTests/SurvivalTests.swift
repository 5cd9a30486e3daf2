import Foundation
import OpenSwiftData
import StoreFiles
import StoreTestSupport
import Testing

@testable import JSONFileStore
@testable import SQLiteStore

@Suite("A migration")
struct SurvivalTests {
  private func transactions(_ container: ModelContainer) throws -> [DefaultHistoryTransaction] {
    try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test(arguments: EveryStore.files)
  func `keeps the history`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let before = try transactions(fixture.open(TripsV1.self))
    #expect(before.count == 1)
    for version in [TripsV2.self, TripsV3.self] as [any VersionedSchema.Type] {
      let after = try transactions(fixture.open(version, TripPlan.self))
      #expect(after.first?.token == before.first?.token)
      #expect(after.first?.changes.count == before.first?.changes.count)
    }
  }

  @Test(arguments: EveryStore.files)
  func `makes the saves of a container with the old version fail`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let old = ModelContext(try fixture.open(TripsV1.self))
    let trip = try #require(try old.fetch(FetchDescriptor<TripsV1.Trip>()).first)
    _ = try fixture.open(TripsV3.self, TripPlan.self)
    trip.gone = "too late"
    let error = try #require(throws: DataStoreError.self) { try old.save() }
    #expect(error == (kind == .json ? .storeClosed : .schemaMismatch))
    #expect(old.hasChanges)
    try fixture.checkFiles(fixture.open(TripsV3.self))
  }

  private func configuration(
    _ fixture: TripFixture,
    _ access: FaultyFileAccess
  ) -> any DataStoreConfiguration {
    if fixture.kind == .json {
      var configuration = JSONFileStoreConfiguration(url: fixture.folder.file("store.json"))
      configuration.access = access
      return configuration
    }
    var configuration = SQLiteStoreConfiguration(url: fixture.folder.file("store.db"))
    configuration.access = access
    return configuration
  }

  private func migrate(_ fixture: TripFixture, _ access: FaultyFileAccess) throws {
    _ = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self),
      migrationPlan: TripPlan.self,
      configurations: [configuration(fixture, access)]
    )
  }

  @Test(arguments: EveryStore.files)
  func `leaves the old or the new store if the disk is full`(_ kind: EveryStore) throws {
    let sample = try TripFixture(kind)
    let access = FaultyFileAccess()
    try migrate(sample, access)
    let count = access.calls.count
    #expect(count > 20)
    // A sample of the calls, different for each kind of store.
    let calls = Array(stride(from: kind == .json ? 1 : 0, to: count, by: max(1, count / 35)))
    for call in Sweep.part(calls, of: 10) {
      let fixture = try TripFixture(kind)
      do {
        try migrate(fixture, FaultyFileAccess(.from(call: call, code: ENOSPC)))
      } catch {
        #expect(error is DataStoreError || error is SwiftDataError, "call \(call): \(error)")
      }
      let container = try fixture.open(TripsV3.self, TripPlan.self)
      let context = ModelContext(container)
      let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>())
      #expect(Set(trips.map(\.length)) == [5, 6])
      try fixture.checkFiles(container)
    }
  }
}
