import ModelLayer
import Testing

@Suite("Both ends of a relationship")
struct RelationshipTests {
  /// The ways to put an item into a trip.
  enum Way: CaseIterable {
    case child, append, replace

    func link(_ item: BucketListItem, _ trip: Trip) {
      switch self {
      case .child: item.trip = trip
      case .append: trip.bucketList.append(item)
      case .replace: trip.bucketList = trip.bucketList + [item]
      }
    }
  }

  /// When the objects are inserted.
  enum Moment: CaseIterable {
    case before, tripFirst, itemFirst, after
  }

  @Test(arguments: Way.allCases, Moment.allCases)
  func `agree however and whenever they are set`(way: Way, moment: Moment) throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    let item = BucketListItem("ski")
    switch moment {
    case .before:
      way.link(item, trip)
      context.insert(trip)
    case .tripFirst:
      context.insert(trip)
      way.link(item, trip)
    case .itemFirst:
      context.insert(item)
      way.link(item, trip)
    case .after:
      context.insert(trip)
      context.insert(item)
      way.link(item, trip)
    }
    #expect(item.trip === trip)
    #expect(trip.bucketList.map(\.title) == ["ski"])
    #expect(trip.modelContext === context)
    #expect(item.modelContext === context)
    try context.save()

    let fresh = ModelContext(container)
    let stored = try #require(try fresh.all(Trip.self).first)
    #expect(stored.bucketList.map(\.title) == ["ski"])
    #expect(stored.bucketList.first?.trip === stored)
    #expect(try fresh.all(BucketListItem.self).first?.trip === stored)
  }

  @Test func `agree when a child moves to another parent`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let alps = Trip(name: "Alps")
    let rome = Trip(name: "Rome")
    let item = BucketListItem("eat")
    alps.bucketList = [item]
    context.insert(alps)
    context.insert(rome)
    try context.save()
    rome.bucketList.append(item)
    #expect(alps.bucketList.isEmpty)
    #expect(item.trip === rome)
    try context.save()
    let fresh = ModelContext(container)
    let trips = try fresh.all(Trip.self)
    #expect(trips.map { $0.bucketList.count } == [0, 1])
  }

  @Test func `agree when a one-to-one counterpart is replaced`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let first = Trip(name: "first")
    let second = Trip(name: "second")
    let house = Accommodation("Street 1")
    first.accommodation = house
    context.insert(first)
    context.insert(second)
    try context.save()
    second.accommodation = house
    #expect(first.accommodation == nil)
    #expect(house.trip === second)
    try context.save()
    let fresh = try ModelContext(container).all(Trip.self)
    #expect(fresh.map { $0.accommodation?.address } == [nil, "Street 1"])
  }

  @Test func `agree in many-to-many relationships`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let alps = Trip(name: "Alps")
    let rome = Trip(name: "Rome")
    let cold = Tag("cold")
    let food = Tag("food")
    alps.tags = [cold, food]
    food.trips.append(rome)
    context.insert(alps)
    #expect(rome.tags.map(\.word) == ["food"])
    #expect(food.trips.map(\.name) == ["Alps", "Rome"])
    try context.save()
    let fresh = ModelContext(container)
    let trips = try fresh.all(Trip.self)
    #expect(trips.first { $0.name == "Alps" }?.tags.map(\.word) == ["cold", "food"])
    #expect(trips.first { $0.name == "Rome" }?.tags.map(\.word) == ["food"])
    trips.first { $0.name == "Alps" }?.tags.removeLast()
    try fresh.save()
    let last = try ModelContext(container).all(Tag.self)
    #expect(last.first { $0.word == "food" }?.trips.map(\.name) == ["Rome"])
  }

  @Test func `agree between objects of one model`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let root = Node("root")
    let left = Node("left", parent: root)
    let right = Node("right", parent: root)
    _ = Node("leaf", parent: left)
    context.insert(root)
    #expect(root.children.map(\.name) == ["left", "right"])
    try context.save()
    let fresh = ModelContext(container)
    let roots = try fresh.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.parent == nil }))
    #expect(roots.map(\.name) == ["root"])
    #expect(roots.first?.children.map(\.name) == ["left", "right"])
    #expect(roots.first?.children.first?.children.map(\.name) == ["leaf"])
    #expect(right.parent === root)
  }

  @Test func `keep the order of to-many relationships`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    trip.bucketList = ["c", "a", "b"].map { BucketListItem($0) }
    context.insert(trip)
    try context.save()
    #expect(try order(container) == ["c", "a", "b"])
    trip.bucketList.reverse()
    try context.save()
    #expect(try order(container) == ["b", "a", "c"])
    let extra = BucketListItem("d")
    extra.trip = trip
    try context.save()
    #expect(try order(container) == ["b", "a", "c", "d"])
    trip.bucketList.swapAt(0, 3)
    try context.save()
    #expect(try order(container) == ["d", "a", "c", "b"])
    trip.bucketList.remove(at: 1)
    try context.save()
    #expect(try order(container) == ["d", "c", "b"])
  }

  private func order(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).all(Trip.self).first?.bucketList.map(\.title) ?? []
  }

  @Test func `a long chain does not exhaust the stack`() throws {
    let context = ModelContext(try makeContainer())
    let root = Node("0")
    var last = root
    for index in 1...5_000 { last = Node("\(index)", parent: last) }
    context.insert(root)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Node>()) == 5_001)
    context.delete(root)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Node>()) == 0)
  }

  @Test func `relating objects of two contexts fails at the save`() throws {
    let container = try makeContainer()
    let here = ModelContext(container)
    let there = ModelContext(container)
    let trip = Trip(name: "Alps")
    let item = BucketListItem("ski")
    here.insert(trip)
    there.insert(item)
    here.insert(item)
    #expect(throws: SwiftDataError.modelValidationFailure) { try here.save() }
  }
}
