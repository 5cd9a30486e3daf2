import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Inherited relationships of a model to itself")
struct InheritedReferenceTests {
  private let fixtures = ContainerFixtures()

  @Test(arguments: EveryStore.withTextKeys)
  func `are not their own inverse in a subclass`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Link.self, LongLink.self)
    let context = ModelContext(container)
    let links = [Link(0), LongLink(1), LongLink(2)]
    for link in links { context.insert(link) }
    (links[1].next, links[2].next) = (links[0], links[0])
    #expect(links.map { $0.next?.number } == [nil, 0, 0], "only these two were set")
    try context.save()
    #expect(try ModelContext(container).all(Link.self).map { $0.next?.number } == [nil, 0, 0])
    context.delete(links[0])
    try context.save()
    #expect(try ModelContext(container).all(Link.self).map { $0.next?.number } == [nil, nil])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are not each other's inverse in a subclass`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Kin.self, Heir.self, LateHeir.self)
    let context = ModelContext(container)
    let (root, left, right) = (Kin("root"), Heir("left"), LateHeir("right"))
    for kin in [root, left, right] { context.insert(kin) }
    (left.mentor, right.mentor) = (root, root)
    (left.pupils, right.pupils) = ([root], [root])
    #expect(root.mentor == nil, "only the other objects were set")
    #expect(root.pupils.isEmpty)
    try context.save()
    let stored = try ModelContext(container).all(Kin.self)
    #expect(stored.map { $0.mentor?.name } == [nil, "root", "root"])
    #expect(stored.map { $0.pupils.map(\.name) } == [[], ["root"], ["root"]])
    context.delete(root)
    try context.save()
    #expect(try ModelContext(container).all(Kin.self).map(\.name) == ["left", "right"])
  }
}

@Model
private class Link {
  var number: Int
  var next: Link?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
private final class LongLink: Link {
  override init(_ number: Int) {
    super.init(number)
  }
}

@Model
private class Kin {
  var name: String
  var mentor: Kin?
  @Relationship(deleteRule: .cascade) var pupils: [Kin] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
private class Heir: Kin {
  override init(_ name: String) {
    super.init(name)
  }
}

@Model
private final class LateHeir: Heir {
  override init(_ name: String) {
    super.init(name)
  }
}
