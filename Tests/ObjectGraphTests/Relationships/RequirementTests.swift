import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The requirements of a relationship")
struct RequirementTests {
  private let fixtures = ContainerFixtures()

  private func failure(_ context: ModelContext, _ property: String) throws {
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error.map { "\($0.entity ?? "").\($0.property ?? "")" } == property)
    #expect(
      error?.message.contains("\(error?.entity ?? "")/") == true,
      "the message must name the object"
    )
  }

  private func ringed(_ store: EveryStore) throws -> (ModelContainer, ModelContext, Team) {
    let container = try fixtures.open(store, for: Team.self, Badge.self)
    let context = ModelContext(container)
    let team = Team()
    team.players = ["a", "b"].map { Player($0) }
    context.insert(team)
    try context.save()
    return (container, context, team)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `include a minimum and a maximum count`(store: EveryStore) throws {
    let (container, context, team) = try ringed(store)
    team.players.removeLast()
    try failure(context, "Team.players")
    context.rollback()
    #expect(team.players.count == 2)
    team.players += ["c", "d"].map { Player($0) }
    try failure(context, "Team.players")
    team.players.removeLast()
    try context.save()
    #expect(try ModelContext(container).all(Team.self).map(\.players.count) == [3])
    context.insert(Team())
    try failure(context, "Team.players")
    context.rollback()
    try context.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `apply to counts that change from the other end`(store: EveryStore) throws {
    let (container, _, _) = try ringed(store)
    let context = ModelContext(container)
    let player = try #require(try context.all(Player.self).first)
    player.team = nil
    try failure(context, "Team.players")
    context.rollback()
    let team = try #require(try context.all(Team.self).first)
    for name in ["c", "d"] { Player(name).team = team }
    try failure(context, "Team.players")
    context.rollback()
    #expect(team.players.count == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `apply to counts that a deletion changes`(store: EveryStore) throws {
    let (container, _, _) = try ringed(store)
    let context = ModelContext(container)
    context.delete(try #require(try context.all(Player.self).first))
    try failure(context, "Team.players")
    context.rollback()
    try context.delete(model: Player.self)
    try failure(context, "Team.players")
    context.delete(try #require(try context.all(Team.self).first))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 0)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `include an object if the relationship is not optional`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Badge.self)
    let context = ModelContext(container)
    let wearer = Wearer("w")
    let badges = (0..<2).map { _ in Badge(wearer) }
    for badge in badges { context.insert(badge) }
    #expect(wearer.badges.count == 2)
    try context.save()
    wearer.badges.removeLast()
    try failure(context, "Badge.wearer")
    context.rollback()
    #expect(wearer.badges.count == 2)
    wearer.badges = []
    try failure(context, "Badge.wearer")
    context.rollback()
    context.delete(wearer)
    try failure(context, "Badge.wearer")
    context.rollback()
    #expect(try ModelContext(container).all(Wearer.self).map(\.badges.count) == [2])
    for badge in badges { context.delete(badge) }
    context.delete(wearer)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Badge>()) == 0)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `allow moving a required related object`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Badge.self)
    let context = ModelContext(container)
    let (first, second) = (Wearer("1"), Wearer("2"))
    let badge = Badge(first)
    context.insert(badge)
    context.insert(second)
    try context.save()
    second.badges.append(badge)
    #expect(first.badges.isEmpty)
    #expect(badge.wearer === second)
    context.delete(first)
    try context.save()
    let stored = try ModelContext(container).all(Wearer.self)
    #expect(stored.map { $0.badges.map(\.wearer.name) } == [["2"]])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `include that all objects have the same context`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Badge.self)
    let (here, there) = (ModelContext(container), ModelContext(container))
    let (mine, theirs) = (Wearer("mine"), Wearer("theirs"))
    here.insert(mine)
    there.insert(theirs)
    try here.save()
    try there.save()
    let badge = Badge(mine)
    here.insert(badge)
    try here.save()
    badge.wearer = theirs
    try failure(here, "Badge.wearer")
    here.rollback()
    #expect(badge.wearer === mine)
    try here.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `an optional to-many relationship that is set to nil is empty`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Crate.self)
    let context = ModelContext(container)
    let crate = Crate("c")
    #expect(crate.apples?.isEmpty == true)
    crate.apples = [Apple("a"), Apple("b")]
    context.insert(crate)
    try context.save()
    let apple = try #require(crate.apples?.first)
    crate.apples = nil
    #expect(crate.apples?.isEmpty == true)
    #expect(apple.crate == nil)
    try context.save()
    #expect(crate.apples?.isEmpty == true)
    let stored = try #require(try ModelContext(container).all(Crate.self).first)
    #expect(stored.apples?.isEmpty == true)
    crate.apples?.append(apple)
    try context.save()
    let again = try #require(try ModelContext(container).all(Crate.self).first)
    #expect(again.apples?.map(\.name) == ["a"])
  }
}

@Model
private final class Team {
  @Relationship(
    deleteRule: .cascade,
    minimumModelCount: 2,
    maximumModelCount: 3,
    inverse: \Player.team
  )
  var players: [Player] = []

  init() {}
}

@Model
private final class Player {
  var name: String
  var team: Team?

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class Badge {
  var wearer: Wearer

  init(_ wearer: Wearer) {
    self.wearer = wearer
  }
}

@Model
private final class Wearer {
  var name: String
  @Relationship(inverse: \Badge.wearer) var badges: [Badge] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class Crate {
  var name: String
  var apples: [Apple]?

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class Apple {
  var name: String
  var crate: Crate?

  init(_ name: String) {
    self.name = name
  }
}
