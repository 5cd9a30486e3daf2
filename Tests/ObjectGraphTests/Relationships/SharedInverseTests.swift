import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model final class Yard {
  var name: String
  @Relationship(inverse: \Shrub.yard) var leading: [Shrub] = []
  @Relationship(deleteRule: .cascade, inverse: \Shrub.yard) var trailing: [Shrub] = []

  init(_ name: String) { self.name = name }

  /// The insertion of the object applies what this initializer sets to the inverse.
  init(_ name: String, leading: [Shrub]) {
    self.name = name
    self.leading = leading
  }
}

@Model final class Shrub {
  var name: String
  var yard: Yard?

  init(_ name: String) { self.name = name }
}

@Model final class Duel {
  @Relationship(inverse: \Fencer.duels) var first: Fencer?
  @Relationship(inverse: \Fencer.duels) var second: Fencer?

  init() {}
}

@Model final class Fencer {
  var name: String
  var duels: [Duel] = []

  init(_ name: String) { self.name = name }
}

@Suite("Relationships that share an inverse")
struct SharedInverseTests {
  private func makeFixture(_ kind: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(kind, for: Yard.self, Shrub.self, Duel.self, Fencer.self)
  }

  @Test func `each set the inverse, and the last one clears it`() {
    let (yard, shrub) = (Yard("a"), Shrub("s"))
    yard.leading.append(shrub)
    #expect(shrub.yard === yard)
    #expect(yard.trailing.isEmpty)
    yard.trailing.append(shrub)
    yard.leading = []
    #expect(shrub.yard === yard)
    yard.trailing.removeAll()
    #expect(shrub.yard == nil)
  }

  @Test func `all lose an object that joins another owner`() {
    let (first, second, shrub) = (Yard("a"), Yard("b"), Shrub("s"))
    first.leading = [shrub]
    first.trailing = [shrub]
    second.trailing = [shrub]
    #expect(shrub.yard === second)
    #expect(first.leading.isEmpty && first.trailing.isEmpty)
  }

  @Test func `are cleared if the inverse is set, and those of the new owner stay empty`() {
    let (first, second, shrub) = (Yard("a"), Yard("b"), Shrub("s"))
    first.leading = [shrub]
    first.trailing = [shrub]
    shrub.yard = second
    #expect(first.leading.isEmpty && first.trailing.isEmpty)
    #expect(second.leading.isEmpty && second.trailing.isEmpty)
    second.leading = [shrub]
    shrub.yard = nil
    #expect(second.leading.isEmpty)
  }

  @Test func `can be two to-one relationships with a to-many inverse`() {
    let (duel, ann, bob) = (Duel(), Fencer("Ann"), Fencer("Bob"))
    duel.first = ann
    duel.second = bob
    #expect(ann.duels == [duel] && bob.duels == [duel])
    duel.second = ann
    #expect(ann.duels == [duel] && bob.duels.isEmpty)
    duel.first = nil
    #expect(ann.duels == [duel])
    ann.duels = []
    #expect(duel.second == nil)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are all restored from a store`(kind: EveryStore) throws {
    let fixture = try makeFixture(kind)
    do {
      let context = try fixture.context()
      let (one, two, three) = (Shrub("1"), Shrub("2"), Shrub("3"))
      let yard = Yard("a", leading: [two, one])
      context.insert(yard)
      #expect(one.yard === yard)
      yard.trailing = [three, one]
      let duel = Duel()
      duel.first = Fencer("Ann")
      duel.second = duel.first
      context.insert(duel)
      try context.save()
    }
    let context = try fixture.context()
    let yard = try #require(try context.all(Yard.self).first)
    #expect(yard.leading.map(\.name) == ["2", "1"])
    #expect(yard.trailing.map(\.name) == ["3", "1"])
    #expect(try context.all(Shrub.self).allSatisfy { $0.yard === yard })
    let fencer = try #require(try context.all(Fencer.self).first)
    #expect(fencer.duels.count == 1 && fencer.duels.first?.second === fencer)
    let inYard = FetchDescriptor<Shrub>(predicate: #Predicate { $0.yard?.name == "a" })
    #expect(try context.fetchCount(inYard) == 3)

    yard.leading.removeAll { $0.name == "2" }
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(inYard) == 2)
    yard.trailing = []
    context.rollback()
    #expect(yard.trailing.map(\.name) == ["3", "1"])
    #expect(try context.fetchCount(inYard) == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `apply their own delete rules`(kind: EveryStore) throws {
    let fixture = try makeFixture(kind)
    let context = try fixture.context()
    let yard = Yard("a")
    yard.leading = [Shrub("kept"), Shrub("left")]
    yard.trailing = [Shrub("cascaded")]
    context.insert(yard)
    try context.save()
    context.delete(try #require(yard.leading.last))
    try context.save()
    #expect(yard.leading.map(\.name) == ["kept"])
    context.delete(yard)
    try context.save()
    let left = try ModelContext(context.container).all(Shrub.self)
    #expect(left.map(\.name) == ["kept"])
    #expect(left.map(\.yard) == [nil])
  }
}
