import ComposableStores
import OpenSwiftData
import Testing

@Model
final class Beacon {
  @Attribute(.unique) var name: String
  var range: Int

  init(_ name: String, range: Int) {
    self.name = name
    self.range = range
  }
}

@Suite("Unique values over base and edits")
struct OverlayUniquenessTests {
  private let base = MemoryStoreConfiguration()
  private let edits = MemoryStoreConfiguration()

  init() throws {
    let context = try context(base)
    for name in ["Hirtshals", "Skagen"] { context.insert(Beacon(name, range: 20)) }
    try context.save()
  }

  private func context(_ configuration: any DataStoreConfiguration) throws -> ModelContext {
    let container = try ModelContainer(for: Schema([Beacon.self]), configurations: [configuration])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  private func overlay() throws -> ModelContext { try context(base.overlaid(by: edits)) }

  private func beacons(_ context: ModelContext) throws -> [String] {
    let sorted = FetchDescriptor<Beacon>(sortBy: [SortDescriptor(\.name)])
    return try ModelContext(context.container).fetch(sorted).map { "\($0.name) \($0.range)" }
  }

  @Test func `a new object with a base row's unique value updates that row`() throws {
    let context = try overlay()
    let before = try context.fetchIdentifiers(FetchDescriptor<Beacon>())
    context.insert(Beacon("Skagen", range: 28))
    try context.save()
    #expect(try beacons(context) == ["Hirtshals 20", "Skagen 28"])
    #expect(try overlay().fetchIdentifiers(FetchDescriptor<Beacon>()) == before)
    #expect(try beacons(overlay()) == ["Hirtshals 20", "Skagen 28"])
    #expect(try beacons(self.context(base)) == ["Hirtshals 20", "Skagen 20"])
  }

  @Test func `an edit to another row's unique value is refused, an exchange is not`() throws {
    let context = try overlay()
    let found = try context.fetch(FetchDescriptor<Beacon>(sortBy: [SortDescriptor(\.name)]))
    found[0].name = "Skagen"
    #expect(throws: DataStoreError.uniqueConflict) { try context.save() }
    #expect(try beacons(context) == ["Hirtshals 20", "Skagen 20"])
    found[1].name = "Hirtshals"
    try context.save()
    #expect(try beacons(context) == ["Hirtshals 20", "Skagen 20"])
  }

  @Test func `a deleted row's unique value can be used again after reopening`() throws {
    let context = try overlay()
    let skagen = try #require(
      try context.fetch(FetchDescriptor<Beacon>(predicate: #Predicate { $0.name == "Skagen" }))
        .first
    )
    context.delete(skagen)
    try context.save()
    let again = try overlay()
    again.insert(Beacon("Skagen", range: 1))
    try again.save()
    #expect(try beacons(again) == ["Hirtshals 20", "Skagen 1"])
    let new = try #require(try again.fetch(FetchDescriptor<Beacon>()).last)
    #expect(try #require(new.persistentModelID.integerKey) > 1 << 40)
  }

  @Test func `a later base's row with an edit's unique value is kept as a duplicate`() throws {
    let context = try overlay()
    context.insert(Beacon("Anholt", range: 14))
    try context.save()
    let writer = try self.context(base)
    writer.insert(Beacon("Anholt", range: 15))
    try writer.save()
    let later = try overlay()
    #expect(try beacons(later).sorted() == ["Anholt 14", "Anholt 15", "Hirtshals 20", "Skagen 20"])
    later.insert(Beacon("Anholt", range: 16))
    try later.save()
    #expect(try beacons(later).sorted() == ["Anholt 15", "Anholt 16", "Hirtshals 20", "Skagen 20"])
  }
}
