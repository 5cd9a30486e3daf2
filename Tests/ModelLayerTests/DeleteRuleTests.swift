import ModelLayer
import Testing

@Suite("A delete rule")
struct DeleteRuleTests {
  @Test func `cascades through several levels`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let root = Node("root")
    let child = Node("child", parent: root)
    _ = Node("grandchild", parent: child)
    context.insert(root)
    context.insert(Node("other"))
    try context.save()
    let fresh = ModelContext(container)
    let stored = try fresh.fetch(
      FetchDescriptor<Node>(predicate: #Predicate { $0.name == "root" })
    )
    fresh.delete(try #require(stored.first))
    try fresh.save()
    #expect(try ModelContext(container).all(Node.self).map(\.name) == ["other"])
  }

  @Test func `nullifies the other end`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    let tag = Tag("cold")
    let item = BucketListItem("ski")
    trip.tags = [tag]
    trip.bucketList = [item]
    context.insert(trip)
    try context.save()
    context.delete(item)
    try context.save()
    #expect(trip.bucketList.isEmpty)
    context.delete(trip)
    try context.save()
    #expect(tag.trips.isEmpty)
    #expect(try ModelContext(container).all(Tag.self).first?.trips.isEmpty == true)
  }

  @Test func `denies a deletion, and nothing is deleted`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let owner = Owner("Ada")
    context.insert(Pet("Rex", owner: owner))
    try context.save()
    context.delete(owner)
    let error = #expect(throws: DataStoreError.self) { try context.save() }
    #expect(error == .deletionDenied)
    #expect(error?.entity == "Owner")
    #expect(error?.property == "pets")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Owner>()) == 1)
    context.rollback()
    #expect(owner.pets.map(\.name) == ["Rex"])
    for pet in owner.pets { context.delete(pet) }
    context.delete(owner)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Owner>()) == 0)
  }

  @Test func `refuses a save that leaves a required relationship empty`() throws {
    let container = try ModelContainer(
      for: Schema(Required.self),
      configurations: [MemoryFixture.configuration()]
    )
    let context = ModelContext(container)
    let target = Target("x")
    context.insert(Required(target))
    try context.save()
    context.delete(target)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.entity == "Required")
    #expect(error?.property == "target")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Target>()) == 1)
  }

  @Test func `applies to deletions by predicate`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    for index in 0..<10 {
      let trip = Trip(name: "trip \(index)")
      trip.bucketList = [BucketListItem("item \(index)")]
      context.insert(trip)
    }
    context.insert(PersonalTrip(name: "trip p", reason: .family))
    try context.save()
    try context.delete(model: Trip.self, where: #Predicate { $0.name > "trip 4" })
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 5)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<BucketListItem>()) == 5)
    context.insert(PersonalTrip(name: "again", reason: .family))
    try context.save()
    try context.delete(model: Trip.self, includeSubclasses: false)
    try context.save()
    #expect(try ModelContext(container).all(Trip.self).map(\.name) == ["again"])
    try context.delete(model: Trip.self)
    try context.save()
    #expect(try ModelContext(container).all(Trip.self).isEmpty)
  }
}

@Model
final class Target {
  var name: String
  var users: [Required] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Required {
  var target: Target

  init(_ target: Target) {
    self.target = target
  }
}
