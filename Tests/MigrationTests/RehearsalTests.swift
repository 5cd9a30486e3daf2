import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A rehearsal of a migration")
struct RehearsalTests {
  @Test(arguments: EveryStore.files)
  func `reports the steps of the migration, and changes nothing`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let rehearsal = try TripPlan.rehearse(on: try fixture.configuration)
    #expect(rehearsal.succeeds)
    #expect(rehearsal.steps.map(\.title) == ["1.0.0 → 2.0.0", "2.0.0 → 3.0.0"])
    #expect(rehearsal.steps.map(\.hasCode) == [false, true])
    let first = try #require(rehearsal.steps.first)
    #expect(first.rowsWritten > 0)
    #expect(first.statements.isEmpty == (kind == .json))
    #expect(rehearsal.description.contains("Trip.name: renamed from title"))
    try fixture.checkFiles(fixture.open(TripsV1.self))
  }

  @Test(arguments: EveryStore.files)
  func `reports all rows that violate the new schema`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind, titles: ["a", "a", "b"])
    let rehearsal = try TripPlan.rehearse(on: try fixture.configuration)
    #expect(!rehearsal.succeeds)
    #expect(rehearsal.steps.count == 1)
    #expect(rehearsal.violations.map(\.count) == [1])
    #expect(rehearsal.violations.first?.properties == ["name"])
    #expect(rehearsal.failure == nil)
    try fixture.checkFiles(fixture.open(TripsV1.self))
  }

  @Test(arguments: EveryStore.files)
  func `reports an error that the code of a stage throws`(_ kind: EveryStore) throws {
    let fixture = try TripFixture(kind)
    let rehearsal = try FailingPlan.rehearse(on: try fixture.configuration)
    #expect(rehearsal.failure is StageFailure)
    try fixture.checkFiles(fixture.open(TripsV1.self))
  }
}
