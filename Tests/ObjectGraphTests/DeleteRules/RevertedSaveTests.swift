import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Inserting a deleted object again")
struct RevertedSaveTests {
  @Test(arguments: EveryStore.withTextKeys, [false, true])
  func `restores both ends of its relationships`(
    _ store: EveryStore,
    areRulesApplied: Bool
  ) throws {
    let fixture = try ContainerFixture(store, for: Choir.self, Singer.self)
    try {
      let context = try fixture.context()
      let choir = Choir("dawn")
      let singers = ["Ann", "Ben", "Cas"].map(Singer.init)
      choir.singers = singers
      choir.leader = singers[1]
      context.insert(choir)
      try context.save()
      context.delete(singers[1])
      if areRulesApplied { context.processPendingChanges() }
      context.insert(singers[1])
      #expect(singers[1].choir === choir)
      #expect(Set(choir.singers.map(\.name)) == ["Ann", "Ben", "Cas"])
      #expect(choir.leader === singers[1] && singers[1].led === choir)
      try context.save()
      if !areRulesApplied { #expect(choir.singers.map(\.name) == ["Ann", "Ben", "Cas"]) }
    }()
    let stored = try #require(try fixture.context().all(Choir.self).first)
    #expect(
      stored.singers.map(\.name)
        == (areRulesApplied ? ["Ann", "Cas", "Ben"] : ["Ann", "Ben", "Cas"])
    )
    #expect(stored.leader?.name == "Ben")
  }
}

@Model
private final class Choir {
  var name: String
  @Relationship(inverse: \Singer.choir) var singers: [Singer] = []
  @Relationship(inverse: \Singer.led) var leader: Singer?

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class Singer {
  var name: String
  var choir: Choir?
  var led: Choir?

  init(_ name: String) {
    self.name = name
  }
}
