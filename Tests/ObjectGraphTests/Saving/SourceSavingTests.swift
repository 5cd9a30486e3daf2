import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Saves by direct writing")
struct SourceSavingTests {
  /// Makes several saves with all kinds of changes.
  private func play(_ fixture: SourceFixture) throws {
    let context = fixture.context
    let readings = (0..<60).map(Reading.init)
    for reading in readings { context.insert(reading) }
    try context.save()
    for step in 1...4 {
      for reading in readings { reading.change(step) }
      if step == 2 {
        for number in 60..<70 { context.insert(Reading(number)) }
        context.insert(Sketch("s"))
      }
      if step == 3 { for reading in readings[50...] { context.delete(reading) } }
      try context.save()
    }
    for number in 0..<6 {
      context.insert(Instrument(label: "i\(number)"))
      context.insert(Barometer(label: "b\(number)", pressure: Double(number)))
    }
    try context.save()
    for barometer in try context.fetch(FetchDescriptor<Barometer>()) { barometer.pressure += 0.5 }
    for instrument in try context.fetch(FetchDescriptor<Instrument>()) { instrument.label += "!" }
    try context.save()
  }

  private static let entities = ["Reading", "Instrument", "Sketch"]

  @Test func `leave the same rows, versions and history as saves of records`() throws {
    let direct = try SourceFixture()
    try play(direct)
    let plain = try SourceFixture(takesRecords: true)
    try play(plain)
    #expect(direct.log.inserted == 60 + 10 + 1 + 12)
    #expect(direct.log.updated > 150)
    #expect(plain.log.inserted == 0)
    #expect(plain.log.updated == 0)
    for entity in Self.entities {
      #expect(try direct.rows(entity) == plain.rows(entity))
      #expect(try !direct.rows(entity).isEmpty)
    }
    #expect(try direct.history() == plain.history())
    #expect(try direct.history().count == 7)
  }

  @Test func `restore every value exactly`() throws {
    let fixture = try SourceFixture()
    let readings = (0..<60).map(Reading.init)
    for reading in readings { fixture.context.insert(reading) }
    try fixture.context.save()
    #expect(fixture.log.inserted == 60)
    let other = ModelContext(fixture.container)
    let found = try other.fetch(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.count == 60)
    for (found, reading) in zip(found, readings) {
      #expect(found.persistentModelID == reading.persistentModelID)
      #expect(Array(found.name.utf8) == Array(reading.name.utf8))
      #expect(found.note.map { Array($0.utf8) } == reading.note.map { Array($0.utf8) })
      #expect(found.level.isIdentical(to: reading.level))
      #expect(found.share?.isIdentical(to: reading.share ?? 0) ?? (reading.share == nil))
      #expect(found.moment == reading.moment)
      #expect(found.seen == reading.seen)
      #expect(found.isGood == reading.isGood)
      #expect(found.isDone == reading.isDone)
      #expect(found.narrow == reading.narrow)
      #expect(found.wide == reading.wide)
      #expect(found.coarse == reading.coarse)
      #expect(found.amount == reading.amount)
      #expect(found.bytes == reading.bytes)
      #expect(found.tag == reading.tag)
      #expect(found.page == reading.page)
      #expect(found.count == reading.count)
      #expect(found.draft == "none")
    }
  }

  @Test func `store strings that match by canonical equivalence`() throws {
    let fixture = try SourceFixture()
    for name in ["e\u{301}", "\u{E9}", "e"] {
      let reading = Reading(0)
      reading.name = name
      fixture.context.insert(reading)
    }
    try fixture.context.save()
    let name = "\u{E9}"
    let other = ModelContext(fixture.container)
    let query = FetchDescriptor<Reading>(predicate: #Predicate { $0.name == name })
    // Strings in Swift are equal by canonical equivalence.
    #expect(try other.fetchCount(query) == 2)
  }

  @Test func `write nothing for transient properties`() throws {
    let fixture = try SourceFixture()
    let sketch = Sketch("s")
    fixture.context.insert(sketch)
    try fixture.context.save()
    let before = try fixture.rows("Sketch")
    sketch.draft = "hidden"
    try fixture.context.save()
    #expect(fixture.log.updated == 0)
    #expect(try fixture.rows("Sketch") == before)
    #expect(!sketch.hasChanges)
  }

  @Test func `of partially read objects write what changed`() throws {
    let fixture = try SourceFixture()
    for number in 0..<4 { fixture.context.insert(Reading(number)) }
    try fixture.context.save()
    let other = ModelContext(fixture.container)
    var descriptor = FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)])
    descriptor.propertiesToFetch = [\.number]
    let found = try other.fetch(descriptor)
    let (first, second) = (found[0], found[1])
    first.name = "changed"
    try other.save()
    #expect(fixture.log.updated == 1)
    #expect(first.bytes == Reading(0).bytes)
    // A deleted object is inserted again as a new one, with its values.
    other.delete(second)
    try other.save()
    other.insert(second)
    try other.save()
    #expect(fixture.log.inserted == 5)
    let last = ModelContext(fixture.container)
    let all = try last.fetch(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)]))
    #expect(all.map(\.number) == [0, 1, 2, 3])
    #expect(all[0].name == "changed")
    #expect(all[1].name == second.name)
    #expect(all[1].bytes == second.bytes)
  }

  @Test func `merge rows with equal unique values, stored ones and new ones`() throws {
    let direct = try SourceFixture()
    let plain = try SourceFixture(takesRecords: true)
    for fixture in [direct, plain] {
      for code in ["a", "b"] { fixture.context.insert(Lighthouse(code)) }
      try fixture.context.save()
      // The last of several with equal values wins, whatever form its text has.
      for code in ["c", "b", "c", "e\u{301}", "\u{E9}", "d"] {
        fixture.context.insert(Lighthouse(code))
      }
      try fixture.context.save()
      let found = try ModelContext(fixture.container).fetch(FetchDescriptor<Lighthouse>())
      #expect(found.map(\.code) == ["a", "b", "c", "\u{E9}", "d"])
      #expect(Array(found[3].code.utf8) == Array("\u{E9}".utf8))
    }
    #expect(direct.log.inserted == 8)
    #expect(try direct.rows("Lighthouse") == plain.rows("Lighthouse"))
    #expect(try direct.history() == plain.history())
  }

  @Test func `also make rows that need more than one statement`() throws {
    let fixture = try SourceFixture()
    let context = fixture.context
    context.insert(Lighthouse("s"))
    try context.save()
    context.insert(Photo(Data(count: 100_000)))
    try context.save()
    context.insert(Supporter([Crew("c")]))
    try context.save()
    context.insert(Paint(Tint(red: 1)))
    try context.save()
    context.insert(Reading(1))
    context.insert(Paint(Tint(red: 2)))
    try context.save()
    #expect(fixture.log.inserted == 7)
    #expect(try ModelContext(fixture.container).fetchCount(FetchDescriptor<Paint>()) == 2)
    let paint = try #require(context.fetch(FetchDescriptor<Paint>()).first)
    let reading = try #require(context.fetch(FetchDescriptor<Reading>()).first)
    paint.shade = Tint(red: 3)
    reading.number = 9
    try context.save()
    #expect(fixture.log.updated == 2)
    let other = ModelContext(fixture.container)
    #expect(try other.fetch(FetchDescriptor<Paint>()).contains { $0.shade == Tint(red: 3) })
    #expect(try other.fetch(FetchDescriptor<Reading>()).map(\.number) == [9])
    #expect(try other.fetch(FetchDescriptor<Photo>()).count == 1)
    #expect(try other.fetch(FetchDescriptor<Supporter>()).count == 1)
  }

  @Test func `are used as well if the container is observed`() throws {
    let fixture = try SourceFixture()
    let watching = ModelContext(fixture.container, isolation: nil)
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)]),
      modelContext: watching
    )
    let reading = Reading(1)
    fixture.context.insert(reading)
    try fixture.context.save()
    reading.number = 5
    try fixture.context.save()
    #expect(fixture.log.inserted == 1)
    #expect(fixture.log.updated == 1)
    try watching.save()
    #expect(observer.results.map(\.number) == [5])
  }

  @Test func `refuse an update of a deleted row, and lose nothing`() throws {
    let fixture = try SourceFixture()
    let readings = (0..<3).map(Reading.init)
    for reading in readings { fixture.context.insert(reading) }
    try fixture.context.save()
    let other = ModelContext(fixture.container)
    let second = FetchDescriptor<Reading>(predicate: #Predicate { $0.number == 1 })
    other.delete(try #require(try other.fetch(second).first))
    try other.save()
    let before = try fixture.rows("Reading")
    for reading in readings { reading.number += 100 }
    fixture.context.insert(Reading(7))
    #expect(throws: DataStoreError.conflict) { try fixture.context.save() }
    #expect(try fixture.rows("Reading") == before)
    #expect(fixture.context.hasChanges)
    #expect(fixture.context.insertedModelsArray.count == 1)
  }
}

extension Double {
  /// Returns whether the number has the same bits, or both are NaN.
  fileprivate func isIdentical(to other: Double) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }
}
