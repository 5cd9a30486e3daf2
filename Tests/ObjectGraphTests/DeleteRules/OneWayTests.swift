import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A one-way relationship")
struct OneWayTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `no longer contains an object that is deleted`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Holder.self, Strict.self)
    let container = try fixture.open()
    let context = ModelContext(container)
    let (gone, stays) = (Goal("gone"), Goal("stays"))
    let holder = Holder("h", one: gone, many: [stays, gone])
    let unloaded = Holder("u", one: gone, many: [gone, stays])
    context.insert(holder)
    context.insert(unloaded)
    try context.save()
    let other = ModelContext(container)
    let theirs = try #require(try other.all(Holder.self).first)
    #expect(theirs.one?.name == "gone")
    #expect(theirs.many.count == 2)
    let unsaved = Holder("new", one: gone, many: [gone])
    context.insert(unsaved)
    context.delete(gone)
    try context.save()
    for model in [holder, unloaded, unsaved] {
      #expect(model.one == nil)
      #expect(model.many.map(\.name) == (model === unsaved ? [] : ["stays"]))
    }
    #expect(!context.hasChanges)
    for model in try other.all(Holder.self) {
      #expect(model.one == nil)
      #expect(!model.many.map(\.name).contains("gone"))
    }
    for model in try ModelContext(container).all(Holder.self) {
      #expect(model.one == nil)
      #expect(!model.many.map(\.name).contains("gone"))
    }
    let query = FetchDescriptor<Holder>(predicate: #Predicate { $0.one == nil })
    #expect(try context.fetchCount(query) == 3)
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `ignores objects that are already deleted`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Holder.self, Strict.self)
    let container = try fixture.open()
    let context = ModelContext(container)
    let gone = Goal("gone")
    let holder = Holder("h")
    context.insert(gone)
    context.insert(holder)
    try context.save()
    context.delete(gone)
    try context.save()
    holder.one = gone
    holder.many = [gone]
    context.insert(Holder("late", one: gone, many: [gone]))
    #expect(holder.one == nil)
    #expect(holder.many.isEmpty)
    try context.save()
    #expect(gone.isDeleted)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Goal>()) == 0)
    #expect(try ModelContext(container).all(Holder.self).map(\.many.count) == [0, 0])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `that is required prevents the deletion of its object`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Holder.self, Strict.self)
    let container = try fixture.open()
    let maker = ModelContext(container)
    maker.insert(Strict(Goal("needed")))
    try maker.save()
    let context = ModelContext(container)
    let needed = try #require(try context.all(Goal.self).first)
    context.delete(needed)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.entity == "Strict")
    #expect(error?.property == "goal")
    #expect(error?.message.contains("Strict/") == true)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Goal>()) == 1)
    let strict = try #require(try context.all(Strict.self).first)
    strict.goal = Goal("another")
    try context.save()
    #expect(try ModelContext(container).all(Strict.self).map(\.goal.name) == ["another"])
    context.delete(strict)
    context.delete(strict.goal)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Goal>()) == 0)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `applies its own delete rule`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Cascader.self, Denier.self, Keeper.self)
    let container = try fixture.open()
    let context = ModelContext(container)
    let goals = (0..<6).map { Goal("\($0)") }
    let cascader = Cascader(goals[0], [goals[1]])
    let denier = Denier(goals[2], [goals[3]])
    let keeper = Keeper(goals[4], [goals[5]])
    context.insert(cascader)
    context.insert(denier)
    context.insert(keeper)
    try context.save()
    context.delete(denier)
    #expect(throws: DataStoreError.deletionDenied) { try context.save() }
    context.rollback()
    context.delete(cascader)
    context.delete(keeper)
    try context.save()
    let left = try ModelContext(container).all(Goal.self).map(\.name)
    #expect(left == ["2", "3", "4", "5"])
    denier.one = nil
    denier.many = []
    context.delete(denier)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Denier>()) == 0)
  }

  @Test func `is cleared for each of many deleted objects`() throws {
    let fixture = try ContainerFixture(.memory, for: Holder.self, Strict.self)
    let context = try fixture.context()
    let goals = (0..<2_000).map { Goal("\($0)") }
    let holders = goals.map { Holder($0.name, one: $0, many: goals.dropLast(1_990)) }
    for holder in holders { context.insert(holder) }
    try context.save()
    for goal in goals.prefix(200) {
      context.delete(goal)
      try context.save()
    }
    #expect(holders.prefix(201).filter { $0.one == nil }.count == 200)
    #expect(holders[300].many.isEmpty)
  }
}

@Model
private final class Goal {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class Holder {
  var name: String
  @Relationship(inverse: nil) var one: Goal?
  @Relationship(inverse: nil) var many: [Goal] = []

  init(_ name: String, one: Goal? = nil, many: [Goal] = []) {
    self.name = name
    self.one = one
    self.many = many
  }
}

@Model
private final class Strict {
  @Relationship(inverse: nil) var goal: Goal

  init(_ goal: Goal) {
    self.goal = goal
  }
}

@Model
private final class Cascader {
  @Relationship(deleteRule: .cascade, inverse: nil) var one: Goal?
  @Relationship(deleteRule: .cascade, inverse: nil) var many: [Goal] = []

  init(_ one: Goal, _ many: [Goal]) {
    self.one = one
    self.many = many
  }
}

@Model
private final class Denier {
  @Relationship(deleteRule: .deny, inverse: nil) var one: Goal?
  @Relationship(deleteRule: .deny, inverse: nil) var many: [Goal] = []

  init(_ one: Goal, _ many: [Goal]) {
    self.one = one
    self.many = many
  }
}

@Model
private final class Keeper {
  @Relationship(deleteRule: .noAction, inverse: nil) var one: Goal?
  @Relationship(deleteRule: .noAction, inverse: nil) var many: [Goal] = []

  init(_ one: Goal, _ many: [Goal]) {
    self.one = one
    self.many = many
  }
}
