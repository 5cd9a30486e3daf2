import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A graph of objects")
struct GraphTests {
  private let fixtures = ContainerFixtures()

  @Test(arguments: EveryStore.withTextKeys)
  func `is inserted with its root, including cycles`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Knot.self)
    let context = ModelContext(container)
    let knots = (0..<5).map { Knot("\($0)") }
    for (index, knot) in knots.enumerated() {
      knot.next = knots[(index + 1) % 5]
      knot.loose = [knots[(index + 2) % 5], knot]
    }
    context.insert(knots[3])
    #expect(context.insertedModelsArray.count == 5)
    try context.save()
    let stored = try ModelContext(container).all(Knot.self).sorted { $0.name < $1.name }
    #expect(stored.map { $0.next?.name } == ["1", "2", "3", "4", "0"])
    #expect(stored.map { $0.previous?.name } == ["4", "0", "1", "2", "3"])
    #expect(stored[0].loose.map(\.name) == ["2", "0"])
    try StoredReferences.check(container)
  }

  @Test(arguments: Sweep.part(EveryStore.withTextKeys, of: 1))
  func `can be a chain of 100,000 objects`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Knot.self)
    let context = ModelContext(container)
    let root = Knot("root")
    var last = root
    for _ in 1..<100_000 {
      let knot = Knot("x")
      last.next = knot
      last.loose = [knot]
      last = knot
    }
    context.insert(root)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Knot>()) == 100_000)
    #expect(root.next?.previous === root)
  }

  @Test func `that is a long chain is released with its context, saved or not`() throws {
    let container = try fixtures.open(.memory, for: GraphLink.self)
    for isSaved in [true, false] {
      let context = ModelContext(container)
      let root = GraphLink()
      var last = root
      for _ in 1..<100_000 {
        let link = GraphLink()
        last.next = link
        last = link
      }
      context.insert(root)
      if isSaved { try context.save() }
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `adds a child that set its parent in its initializer on insertion`(
    store: EveryStore
  ) throws {
    let container = try fixtures.open(store, for: Card.self)
    let context = ModelContext(container)
    let box = Box()
    context.insert(box)
    let first = Card("first", in: box)
    #expect(box.cards.isEmpty, "an initializer does not set the inverse")
    context.insert(first)
    #expect(box.cards.map(\.name) == ["first"])
    try context.save()
    let other = ModelContext(container)
    let stored = try #require(try other.all(Box.self).first)
    other.insert(Card("second", in: stored))
    #expect(stored.cards.map(\.name) == ["first", "second"])
    try other.save()
    let third = Card("third", in: Box())
    third.box = stored
    #expect(third.modelContext === other, "setting the parent later inserts the child too")
    try other.save()
    let last = try #require(try ModelContext(container).all(Box.self).first)
    #expect(last.cards.map(\.name) == ["first", "second", "third"])
    try StoredReferences.check(container)
  }

  @Test func `can have one parent with 20,000 children`() throws {
    let container = try fixtures.open(.memory, for: Pupil.self)
    let context = ModelContext(container)
    let school = School()
    school.pupils = (0..<20_000).map { Pupil("\($0)", of: school) }
    context.insert(school)
    let other = School()
    context.insert(other)
    for number in 0..<20_000 { context.insert(Pupil("\(number)", of: other)) }
    try context.save()
    #expect(school.pupils.count == 20_000)
    #expect(other.pupils.count == 20_000)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is not restored by a reference to a deleted object`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Pupil.self)
    let context = ModelContext(container)
    let school = School()
    let pupil = Pupil("gone", of: school)
    context.insert(pupil)
    try context.save()
    context.delete(pupil)
    try context.save()
    #expect(school.pupils.isEmpty)
    school.pupils.append(pupil)
    #expect(school.pupils.isEmpty)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Pupil>()) == 0)
    context.insert(pupil)
    #expect(!pupil.isDeleted)
    pupil.school = school
    try context.save()
    #expect(try ModelContext(container).all(School.self).first?.pupils.map(\.name) == ["gone"])
  }
}

@Model
private final class Knot {
  var name: String
  @Relationship(inverse: \Knot.previous) var next: Knot?
  var previous: Knot?
  @Relationship(inverse: nil) var loose: [Knot] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class GraphLink {
  var next: GraphLink?

  init() {}
}

@Model
private final class School {
  var pupils: [Pupil] = []

  init() {}
}

@Model
private final class Pupil {
  var name: String
  var school: School?

  init(_ name: String, of school: School) {
    self.name = name
    self.school = school
  }
}

@Model
private final class Box {
  var cards: [Card] = []

  init() {}
}

@Model
private final class Card {
  var name: String
  var box: Box

  init(_ name: String, in box: Box) {
    self.name = name
    self.box = box
  }
}
