import OpenSwiftData
import StoreTestSupport
import Testing

/// Each test runs with a save that was stored and with one that was not.
///
/// After the next save, the result must be the same.
@Suite("A direct save with an unknown outcome")
struct IndeterminateSourceTests {
  private func stored(_ place: SourcePlace) throws -> [String] {
    let order = [SortDescriptor<Reading>(\.number), SortDescriptor(\.name)]
    return try ModelContext(place.container)
      .fetch(FetchDescriptor<Reading>(sortBy: order)).map { "\($0.number) \($0.name)" }
  }

  private func saveWithUnknownOutcome(_ place: SourcePlace, _ fate: SourceLog.Fate) {
    place.log.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try place.context.save() }
    #expect(place.context.hasChanges)
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `stores new objects once, with the newest values`(fate: SourceLog.Fate) throws {
    let place = try SourcePlace()
    let readings = (0..<4).map(Reading.init)
    for reading in readings {
      reading.name = "old"
      place.context.insert(reading)
    }
    saveWithUnknownOutcome(place, fate)
    readings[1].name = "new"
    place.context.delete(readings[3])
    let late = Reading(9)
    late.name = "late"
    place.context.insert(late)
    place.log.recover()
    try place.context.save()
    #expect(!place.context.hasChanges)
    #expect(try stored(place) == ["0 old", "1 new", "2 old", "9 late"])
    #expect(readings[..<3].allSatisfy { !$0.persistentModelID.isTemporary })
    let kept: Reading? = place.context.registeredModel(for: readings[0].persistentModelID)
    #expect(kept === readings[0])
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `stores the newest values of changed objects`(fate: SourceLog.Fate) throws {
    let place = try SourcePlace()
    let readings = (0..<3).map(Reading.init)
    for reading in readings {
      reading.name = "old"
      place.context.insert(reading)
    }
    try place.context.save()
    for reading in readings { reading.name = "asked" }
    saveWithUnknownOutcome(place, fate)
    readings[0].name = "newest"
    readings[1].number = 7
    place.log.recover()
    try place.context.save()
    #expect(try stored(place) == ["0 newest", "2 asked", "7 asked"])
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `that is rolled back leaves the objects as they are stored`(
    fate: SourceLog.Fate
  ) throws {
    let place = try SourcePlace()
    let reading = Reading(1)
    reading.name = "old"
    place.context.insert(reading)
    try place.context.save()
    reading.name = "asked"
    saveWithUnknownOutcome(place, fate)
    place.context.rollback()
    place.log.recover()
    try place.context.save()
    #expect(reading.name == (fate == .saved ? "asked" : "old"))
    #expect(try stored(place) == ["1 \(reading.name)"])
  }
}
