import ModelLayer
import Testing

@Suite("Copying a store")
struct CopyingTests {
  @Test func `copies objects, relationships and their order`() throws {
    let source = try makeContainer()
    let context = ModelContext(source)
    let alps = PersonalTrip(name: "Alps", reason: .wellness)
    alps.bucketList = ["c", "a", "b"].map { BucketListItem($0) }
    alps.bucketList.swapAt(0, 2)
    alps.accommodation = Accommodation("Street 1")
    let rome = Trip(name: "Rome")
    let tag = Tag("food")
    rome.tags = [Tag("warm"), tag]
    alps.tags = [tag]
    context.insert(rome)
    context.insert(alps)
    let node = Node("child", parent: Node("root"))
    context.insert(node)
    context.insert(Pet("Rex", owner: Owner("Ada")))
    try context.save()

    let target = try makeContainer()
    var last = (0, 0)
    let report = try source.copy(to: target) { last = ($0, $1) }
    #expect(report.counts["PersonalTrip"] == 1)
    #expect(report.counts["BucketListItem"] == 3)
    #expect(last == (report.total, report.total))

    let copied = ModelContext(target)
    let trips = try copied.all(Trip.self)
    #expect(trips.map(\.name) == ["Rome", "Alps"])
    #expect(trips[1].bucketList.map(\.title) == ["b", "a", "c"])
    #expect((trips[1] as? PersonalTrip)?.reason == .wellness)
    #expect(trips[1].accommodation?.address == "Street 1")
    #expect(trips[0].tags.map(\.word) == ["warm", "food"])
    #expect(trips[1].tags.first?.trips.count == 2)
    #expect(try copied.all(Node.self).first { $0.name == "child" }?.parent?.name == "root")
    #expect(try copied.all(Pet.self).first?.owner.name == "Ada")
  }

  @Test func `refuses a target with objects`() throws {
    let source = try makeContainer()
    let target = try makeContainer()
    let context = ModelContext(target)
    context.insert(Node("here first"))
    try context.save()
    #expect(throws: DataStoreError.invalidConfiguration) { try source.copy(to: target) }
    #expect(try ModelContext(target).all(Node.self).count == 1)
  }

  @Test func `refuses the store itself, and says why another file can be it`() throws {
    let source = try makeContainer()
    let error = #expect(throws: DataStoreError.self) { try source.copy(to: source) }
    #expect(error == .invalidConfiguration)
    let identifier = try #require(source.stores.first).identifier
    #expect(error?.message.contains("both stores have the identifier \(identifier)") == true)
  }

  @Test func `refuses a target with another schema`() throws {
    let source = try makeContainer()
    let target = try ModelContainer(
      for: Schema(Node.self),
      configurations: [MemoryFixture.configuration()]
    )
    #expect(throws: DataStoreError.schemaMismatch) { try source.copy(to: target) }
  }
}
