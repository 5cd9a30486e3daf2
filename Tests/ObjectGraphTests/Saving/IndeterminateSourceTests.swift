import OpenSwiftData
import StoreTestSupport
import Testing

/// Each test runs with a save that was stored and with one that was not.
///
/// After the next save, the result must be the same.
@Suite("A direct save with an unknown outcome")
struct IndeterminateSourceTests {
  private func stored(_ fixture: SourceFixture) throws -> [String] {
    let order = [SortDescriptor<Reading>(\.number), SortDescriptor(\.name)]
    return try ModelContext(fixture.container)
      .fetch(FetchDescriptor<Reading>(sortBy: order)).map { "\($0.number) \($0.name)" }
  }

  private func saveWithUnknownOutcome(_ fixture: SourceFixture, _ fate: SourceLog.Fate) {
    fixture.log.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    #expect(fixture.context.hasChanges)
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `stores new objects once, with the newest values`(fate: SourceLog.Fate) throws {
    let fixture = try SourceFixture()
    let readings = (0..<4).map(Reading.init)
    for reading in readings {
      reading.name = "old"
      fixture.context.insert(reading)
    }
    saveWithUnknownOutcome(fixture, fate)
    readings[1].name = "new"
    fixture.context.delete(readings[3])
    let late = Reading(9)
    late.name = "late"
    fixture.context.insert(late)
    fixture.log.recover()
    try fixture.context.save()
    #expect(!fixture.context.hasChanges)
    #expect(try stored(fixture) == ["0 old", "1 new", "2 old", "9 late"])
    #expect(readings[..<3].allSatisfy { !$0.persistentModelID.isTemporary })
    let kept: Reading? = fixture.context.registeredModel(for: readings[0].persistentModelID)
    #expect(kept === readings[0])
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `stores the newest values of changed objects`(fate: SourceLog.Fate) throws {
    let fixture = try SourceFixture()
    let readings = (0..<3).map(Reading.init)
    for reading in readings {
      reading.name = "old"
      fixture.context.insert(reading)
    }
    try fixture.context.save()
    for reading in readings { reading.name = "asked" }
    saveWithUnknownOutcome(fixture, fate)
    readings[0].name = "newest"
    readings[1].number = 7
    fixture.log.recover()
    try fixture.context.save()
    #expect(try stored(fixture) == ["0 newest", "2 asked", "7 asked"])
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `that is rolled back leaves the objects as they are stored`(
    fate: SourceLog.Fate
  ) throws {
    let fixture = try SourceFixture()
    let reading = Reading(1)
    reading.name = "old"
    fixture.context.insert(reading)
    try fixture.context.save()
    reading.name = "asked"
    saveWithUnknownOutcome(fixture, fate)
    fixture.context.rollback()
    fixture.log.recover()
    try fixture.context.save()
    #expect(reading.name == (fate == .saved ? "asked" : "old"))
    #expect(try stored(fixture) == ["1 \(reading.name)"])
  }
}
