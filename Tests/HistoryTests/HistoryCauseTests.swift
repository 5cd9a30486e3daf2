import OpenSwiftData
import StoreTestSupport
import Testing

@Model private final class Crew {
  var name: String
  @Relationship(inverse: \Sailor.crew) var sailors: [Sailor] = []
  @Relationship(deleteRule: .cascade, inverse: \Boat.crew) var boats: [Boat] = []

  init(_ name: String) { self.name = name }
}

@Model private final class Sailor {
  @Attribute(.unique) var name: String
  var age = 20
  var crew: Crew?
  @Relationship(inverse: \Skill.sailors) var skills: [Skill] = []

  init(_ name: String, in crew: Crew? = nil) {
    self.name = name
    self.crew = crew
  }
}

@Model private final class Skill {
  var name: String
  var sailors: [Sailor] = []

  init(_ name: String) { self.name = name }
}

@Model private final class Boat {
  var name: String
  var crew: Crew?

  init(_ name: String, of crew: Crew) {
    self.name = name
    self.crew = crew
  }
}

@Suite struct `Changes have a cause` {
  private let folder = try? TemporaryFolder()

  private func context(_ kind: EveryStore) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema([Crew.self, Sailor.self, Skill.self, Boat.self]),
        store: kind.url(in: #require(folder))
      )
    )
  }

  /// The changes of the last save, each formatted as `~Ada age,crew program crew`.
  private func story(
    _ context: ModelContext,
    _ names: [PersistentIdentifier: String]
  ) throws -> Set<String> {
    let store = try #require(context.container.stores.first as? any HistoryKeeping)
    let last = try #require(try store.transactions(StoreHistoryQuery()).last)
    return Set(
      last.changes.map { change in
        let name = names[change.identifier] ?? "?"
        let list = change.properties.sorted().joined(separator: ",")
        let cleared = change.clearedProperties.sorted().joined(separator: ",")
        return [change.kind.rawValue, name, list, change.cause.rawValue, cleared]
          .filter { !$0.isEmpty }.joined(separator: " ")
      }
    )
  }

  @Test(arguments: EveryStore.allCases)
  func `changes by delete rules are distinguished from the program's changes`(
    kind: EveryStore
  ) throws {
    let context = try context(kind)
    let (crew, other) = (Crew("Red"), Crew("Blue"))
    let sailors = ["Ada", "Bob", "Cleo", "Dan"].map { Sailor($0, in: crew) }
    let boats = ["Argo", "Beagle"].map { Boat($0, of: crew) }
    for model in [crew, other] { context.insert(model) }
    for sailor in sailors { context.insert(sailor) }
    for boat in boats { context.insert(boat) }
    try context.save()
    var names = [crew.persistentModelID: "Red"]
    for sailor in sailors { names[sailor.persistentModelID] = sailor.name }
    for boat in boats { names[boat.persistentModelID] = boat.name }
    sailors[1].age = 30
    sailors[2].crew = nil
    sailors[3].crew = other
    context.delete(crew)
    context.delete(boats[1])
    try context.save()
    let found = try story(context, names)
    #expect(
      found == [
        "delete Red program", "delete Argo deleteRule", "delete Beagle program",
        "update Ada crew deleteRule crew", "update Bob age,crew program crew",
        "update Cleo crew program", "update Dan crew program",
      ]
    )
  }

  @Test(arguments: EveryStore.allCases)
  func `a value that the program sets after a delete rule is the program's change`(
    kind: EveryStore
  ) throws {
    let context = try context(kind)
    let (crew, other) = (Crew("Red"), Crew("Blue"))
    let (ada, bob) = (Sailor("Ada", in: crew), Sailor("Bob", in: crew))
    let boat = Boat("Argo", of: crew)
    context.insert(ada)
    context.insert(bob)
    context.insert(boat)
    context.insert(other)
    try context.save()
    let names = [
      ada.persistentModelID: "Ada", bob.persistentModelID: "Bob",
      crew.persistentModelID: "Red", boat.persistentModelID: "Argo",
    ]
    context.delete(crew)
    context.processPendingChanges()
    ada.crew = other
    context.delete(boat)
    try context.save()
    #expect(
      try story(context, names) == [
        "delete Red program", "delete Argo program", "update Ada crew program",
        "update Bob crew deleteRule crew",
      ]
    )
  }

  @Test(arguments: EveryStore.allCases)
  func `a list changed by a deletion is distinguished from an edited list`(kind: EveryStore) throws
  {
    let context = try context(kind)
    let skills = ["knots", "charts", "cooking"].map(Skill.init)
    let sailors = ["Ada", "Bob"].map { Sailor($0) }
    for sailor in sailors {
      context.insert(sailor)
      sailor.skills = Array(skills.prefix(2))
    }
    context.insert(skills[2])
    try context.save()
    var names: [PersistentIdentifier: String] = [:]
    for sailor in sailors { names[sailor.persistentModelID] = sailor.name }
    for skill in skills { names[skill.persistentModelID] = skill.name }
    sailors[1].skills.append(skills[2])
    context.delete(skills[0])
    try context.save()
    let found = try story(context, names).filter { !$0.hasPrefix("update cooking") }
    #expect(
      found == [
        "delete knots program", "update Ada skills deleteRule skills",
        "update Bob skills program",
      ]
    )
  }

  @Test(arguments: EveryStore.allCases)
  func `a merge is distinguished from an edit, in plain and typed history`(kind: EveryStore) throws
  {
    let context = try context(kind)
    let (ada, bob) = (Sailor("Ada"), Sailor("Bob"))
    context.insert(ada)
    context.insert(bob)
    try context.save()
    let names = [ada.persistentModelID: "Ada", bob.persistentModelID: "Bob"]
    let other = ModelContext(context.container)
    let again = Sailor("Ada")
    again.age = 50
    other.insert(again)
    try #require(other.fetch(FetchDescriptor<Sailor>()).first { $0.name == "Bob" }).age = 9
    try other.save()
    let found = try story(context, names)
    #expect(found.contains { $0.hasPrefix("update Ada") && $0.hasSuffix("merge") })
    #expect(found.contains("update Bob age program"))
    let typed = try #require(try context.history().last?.changes)
    let causes = typed.compactMap { change -> StoreChange.Cause? in
      guard case .update(let update as DefaultHistoryUpdate<Sailor>) = change else { return nil }
      return update.cause
    }
    #expect(Set(causes) == [.merge, .program])
  }

  @Test(arguments: EveryStore.allCases)
  func `typed changes name the properties that a delete rule cleared`(kind: EveryStore) throws {
    let context = try context(kind)
    let ada = Sailor("Ada", in: Crew("Red"))
    context.insert(ada)
    try context.save()
    ada.age = 1
    try context.delete(#require(ada.crew))
    try context.save()
    let changes = try #require(try context.history().last?.changes)
    let updates = changes.compactMap { change -> DefaultHistoryUpdate<Sailor>? in
      if case .update(let update as DefaultHistoryUpdate<Sailor>) = change { update } else { nil }
    }
    #expect(updates.first?.cause == .program)
    #expect(updates.first?.updatedAttributes.count == 2)
    #expect(updates.first?.clearedAttributes.contains { $0 == \Sailor.crew } == true)
    #expect(updates.first?.clearedAttributes.count == 1)
  }
}
