import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Reverts of relationships` {
  private static let stores = EveryStore.withServer
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ kind: EveryStore) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema([Keeper.self, Animal.self, Tag.self]),
        store: kind.url(in: folder) + (kind == .postgreSQL ? "&" : "?") + "history=values"
      )
    )
  }

  /// The keepers with their animals in order, and the tags of each animal, as stored.
  private func state(_ context: ModelContext) throws -> [String] {
    let fresh = ModelContext(context.container)
    let keepers = try fresh.fetch(FetchDescriptor<Keeper>(sortBy: [SortDescriptor(\.name)]))
    let animals = try fresh.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    return keepers.map { "\($0.name): \($0.animals.map(\.name).joined())" }
      + animals.map { animal in
        "\(animal.name): \(animal.keeper?.name ?? "-") \(animal.tags.map(\.name).sorted().joined())"
      }
  }

  /// Saves keepers p and q, and animals a to d; those of p are in the order c, b, a.
  private func fill(
    _ context: ModelContext
  ) throws -> (
    keepers: [Keeper], animals: [Animal]
  ) {
    let keepers = ["p", "q"].map { Keeper($0) }
    let animals = ["a", "b", "c", "d"].map { Animal($0) }
    for keeper in keepers { context.insert(keeper) }
    for animal in animals { context.insert(animal) }
    keepers[0].animals = [animals[2], animals[1], animals[0]]
    try context.save()
    return (keepers, animals)
  }

  /// Reverts the last save and saves.
  private func revertLast(_ context: ModelContext) throws {
    let other = ModelContext(context.container)
    try other.revert(try #require(other.history().last))
    try other.save()
  }

  @Test(arguments: stores)
  func `a deletion takes no object from the owner that it went to before`(kind: EveryStore) throws {
    let context = try open(kind)
    let (keepers, animals) = try fill(context)
    animals[2].keeper = keepers[1]
    try context.save()
    let before = try state(context)
    #expect(before.prefix(2) == ["p: ba", "q: c"])
    context.delete(keepers[0])
    try context.save()
    try revertLast(context)
    #expect(try state(context) == before)
  }

  @Test(arguments: stores)
  func `a change of an order takes no object from another owner`(kind: EveryStore) throws {
    let context = try open(kind)
    let (keepers, animals) = try fill(context)
    animals[2].keeper = keepers[1]
    try context.save()
    let before = try state(context)
    keepers[0].animals = [animals[3], animals[0], animals[1]]
    try context.save()
    #expect(try state(context).first == "p: dab")
    try revertLast(context)
    #expect(try state(context) == before)
    // To the order of keys, and back.
    _ = try context.fetch(FetchDescriptor<Keeper>())
    #expect(keepers[0].animals.map(\.name) == ["b", "a"])
    keepers[0].animals = [animals[0], animals[1]]
    try context.save()
    #expect(try state(context).first == "p: ab")
    try revertLast(context)
    #expect(try state(context) == before)
    try revertLast(context)
    #expect(try state(context).first == "p: ab")
  }

  @Test(arguments: stores)
  func `a new owner gives its objects back`(kind: EveryStore) throws {
    let context = try open(kind)
    let (_, animals) = try fill(context)
    let before = try state(context).dropFirst()
    let keeper = Keeper("r")
    context.insert(keeper)
    keeper.animals = [animals[1], animals[2]]
    try context.save()
    #expect(try state(context).first == "p: a")
    try revertLast(context)
    // The objects are the last ones of their former owner, as after any assignment.
    #expect(try state(context).dropFirst() == before)
    #expect(try state(context).first.map { Set($0) } == Set("p: abc"))
  }

  @Test(arguments: stores)
  func `a deletion with all its elements restores their order`(kind: EveryStore) throws {
    let context = try open(kind)
    let (keepers, animals) = try fill(context)
    let before = try state(context)
    for animal in animals { context.delete(animal) }
    context.delete(keepers[0])
    try context.save()
    try revertLast(context)
    #expect(try state(context) == before)
  }

  @Test(arguments: stores)
  func `relationships with several objects at both ends are restored`(kind: EveryStore) throws {
    let context = try open(kind)
    let (_, animals) = try fill(context)
    let tags = ["x", "y"].map { Tag($0) }
    for tag in tags { context.insert(tag) }
    try context.save()
    let none = try state(context)
    animals[0].tags = tags
    try context.save()
    let both = try state(context)
    #expect(both != none)
    try revertLast(context)
    #expect(try state(context) == none)
    try revertLast(context)
    #expect(try state(context) == both)
    context.delete(tags[0])
    try context.save()
    try revertLast(context)
    #expect(try state(context) == both)
  }
}

@Model
private final class Keeper {
  var name: String
  @Relationship(inverse: \Animal.keeper) var animals: [Animal] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class Animal {
  var name: String
  var keeper: Keeper?
  @Relationship(inverse: \Tag.animals) var tags: [Tag] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class Tag {
  var name: String
  var animals: [Animal] = []

  init(_ name: String) { self.name = name }
}
