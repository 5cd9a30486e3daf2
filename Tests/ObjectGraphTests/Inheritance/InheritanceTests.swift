import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Models that inherit")
struct InheritanceTests {
  private let fixtures = ContainerFixtures()

  /// Creates a zoo with objects of all levels except the base.
  private func zoo(_ store: EveryStore) throws -> ModelContainer {
    let container = try fixtures.open(
      store,
      for: Being.self,
      Beast.self,
      Hound.self,
      Racer.self,
      Bird.self,
      Parrot.self,
      Habitat.self,
      Owner.self
    )
    let context = ModelContext(container)
    let (field, tree) = (Habitat("field"), Habitat("tree"))
    let beings = [
      Beast("cow", legs: 4), Hound("rex", trick: "sit"), Racer("bolt", trick: "run"),
      Bird("tit", born: 3), Parrot("coco", words: ["a", "b"]),
    ]
    for being in beings { context.insert(being) }
    field.beings = Array(beings.prefix(3))
    for being in beings.suffix(2) { being.home = tree }
    tree.favourite = beings[4]
    field.favourite = beings[2]
    tree.flock = beings.compactMap { $0 as? Bird }
    let owner = Owner("Ada")
    owner.hounds = beings.compactMap { $0 as? Hound }
    context.insert(owner)
    try context.save()
    return container
  }

  private func classes(_ models: [some PersistentModel]) -> [String] {
    models.map { String(describing: type(of: $0)) }
  }

  private func names(
    _ container: ModelContainer,
    _ predicate: Predicate<Being>
  ) throws -> [String] {
    let descriptor = FetchDescriptor<Being>(predicate: predicate)
    let context = ModelContext(container)
    let found = try context.fetch(descriptor).map(\.name)
    #expect(try context.fetchCount(descriptor) == found.count)
    context.insert(Habitat("unsaved"))
    let being = try context.all(Being.self).first
    being?.born += 0
    #expect(
      try context.fetch(descriptor).map(\.name) == found,
      "the results are the same with unsaved changes"
    )
    return found
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are fetched as their own class, by any superclass`(
    store: EveryStore
  ) throws {
    let context = ModelContext(try zoo(store))
    #expect(classes(try context.all(Being.self)) == ["Beast", "Hound", "Racer", "Bird", "Parrot"])
    #expect(classes(try context.all(Beast.self)) == ["Beast", "Hound", "Racer"])
    #expect(classes(try context.all(Hound.self)) == ["Hound", "Racer"])
    #expect(classes(try context.all(Racer.self)) == ["Racer"])
    #expect(try context.all(Bird.self).map(\.trick) == [0, 0])
    #expect(try context.all(Racer.self).first?.speed == 60)
    #expect(try context.all(Racer.self).first?.trick == "run")
    #expect(try context.all(Parrot.self).first?.words == ["a", "b"])
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Being>())
    #expect(identifiers.map(\.entityName) == ["Beast", "Hound", "Racer", "Bird", "Parrot"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are distinguished by predicates, with properties of several levels`(
    store: EveryStore
  ) throws {
    let container = try zoo(store)
    #expect(try names(container, #Predicate { $0 is Hound }) == ["rex", "bolt"])
    #expect(try names(container, #Predicate { !($0 is Beast) }) == ["tit", "coco"])
    #expect(try names(container, #Predicate { ($0 as? Hound)?.trick == "sit" }) == ["rex"])
    #expect(try names(container, #Predicate { ($0 as? Bird)?.trick == 0 }) == ["tit", "coco"])
    #expect(
      try names(container, #Predicate { $0.name > "c" && ($0 as? Beast)?.legs == 4 })
        == ["cow", "rex"]
    )
    #expect(try names(container, #Predicate { ($0 as? Racer)?.speed == 60.0 }) == ["bolt"])
    #expect(try names(container, #Predicate { $0.born == 3 || $0 is Racer }) == ["bolt", "tit"])
    #expect(
      try names(container, #Predicate { ($0 as? Hound)?.owner?.name == "Ada" }) == ["rex", "bolt"]
    )
    #expect(try names(container, #Predicate { $0.home?.name == "tree" }) == ["tit", "coco"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are sorted by properties of several levels`(store: EveryStore) throws {
    let context = ModelContext(try zoo(store))
    let beings = try context.fetch(
      FetchDescriptor<Being>(sortBy: [
        SortDescriptor(\.born, order: .reverse), SortDescriptor(\.name),
      ])
    )
    #expect(beings.map(\.name) == ["tit", "bolt", "coco", "cow", "rex"])
    let hounds = try context.fetch(
      FetchDescriptor<Hound>(
        predicate: #Predicate { $0.name != "x" && $0.trick != nil && $0.legs == 4 },
        sortBy: [SortDescriptor(\.legs), SortDescriptor(\.trick), SortDescriptor(\.name)]
      )
    )
    #expect(hounds.map(\.name) == ["bolt", "rex"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be elements of a relationship to their base class`(store: EveryStore) throws {
    let container = try zoo(store)
    let context = ModelContext(container)
    let habitats = try context.all(Habitat.self).sorted { $0.name < $1.name }
    let (field, tree) = (habitats[0], habitats[1])
    #expect(classes(field.beings) == ["Beast", "Hound", "Racer"])
    #expect(classes(tree.beings) == ["Bird", "Parrot"])
    #expect(tree.favourite is Parrot)
    #expect(field.favourite is Racer)
    #expect(classes(tree.flock) == ["Bird", "Parrot"])
    #expect((field.beings[1] as? Hound)?.owner?.name == "Ada")
    field.beings.append(tree.beings[1])
    field.favourite = tree.favourite
    #expect(tree.beings.count == 1)
    try context.save()
    let fresh = ModelContext(container)
    let stored = try #require(try fresh.all(Habitat.self).first { $0.name == "field" })
    #expect(classes(stored.beings) == ["Beast", "Hound", "Racer", "Parrot"])
    #expect((stored.favourite as? Parrot)?.words == ["a", "b"])
    #expect(stored.beings.allSatisfy { $0.home === stored })
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `have relationships of their own, and delete rules across levels`(
    store: EveryStore
  ) throws {
    let container = try zoo(store)
    let context = ModelContext(container)
    let hounds = try context.all(Hound.self)
    let (rex, bolt) = (hounds[0], hounds[1])
    rex.young = [bolt]
    #expect(bolt.parent === rex)
    let birds = try context.all(Bird.self)
    birds[0].mates = [birds[1]]
    #expect(birds[1].matedWith.map(\.name) == ["tit"])
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.all(Racer.self).first?.parent?.name == "rex")
    #expect(try fresh.all(Parrot.self).first?.matedWith.map(\.name) == ["tit"])
    let owner = try #require(try fresh.all(Owner.self).first)
    fresh.delete(owner)
    try fresh.save()
    #expect(try ModelContext(container).all(Being.self).map(\.name) == ["cow", "tit", "coco"])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are deleted with or without subclasses`(store: EveryStore) throws {
    let container = try zoo(store)
    let context = ModelContext(container)
    try context.delete(model: Hound.self, includeSubclasses: false)
    try context.save()
    #expect(
      try ModelContext(container).all(Being.self).map(\.name) == ["cow", "bolt", "tit", "coco"]
    )
    try context.delete(model: Beast.self, where: #Predicate { $0.name != "cow" })
    try context.save()
    #expect(try ModelContext(container).all(Being.self).map(\.name) == ["cow", "tit", "coco"])
    try context.delete(model: Being.self, includeSubclasses: false)
    #expect(try context.fetchCount(FetchDescriptor<Being>()) == 3)
    try context.delete(model: Being.self)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Being>()) == 0)
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.allCases)
  func `are found by an identifier of any superclass`(store: EveryStore) throws {
    let container = try zoo(store)
    let context = ModelContext(container)
    let racer = try #require(try context.all(Racer.self).first)
    #expect(racer.persistentModelID.entityName == "Racer")
    #expect(Racer("new").persistentModelID.entityName == "Racer")
    let key = try #require(racer.persistentModelID.integerKey)
    let storeIdentifier = try #require(racer.persistentModelID.storeIdentifier)
    let fresh = ModelContext(container)
    for name in ["Being", "Beast", "Hound", "Racer"] {
      let identifier = try PersistentIdentifier.identifier(
        for: storeIdentifier,
        entityName: name,
        primaryKey: key
      )
      let registered: Being? = context.registeredModel(for: identifier)
      #expect(registered === racer)
      #expect((fresh.model(for: identifier) as? Racer)?.name == "bolt")
    }
    let parrot: Parrot? = context.registeredModel(for: racer.persistentModelID)
    #expect(parrot == nil)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `apply the constraints of a class to its subclasses`(
    store: EveryStore
  ) throws {
    let container = try zoo(store)
    let context = ModelContext(container)
    let tit = try #require(try context.all(Bird.self).first)
    tit.name = "rex"
    let error = #expect(throws: DataStoreError.self) { try context.save() }
    #expect(error == .uniqueConflict)
    context.rollback()
    let bolt = try #require(try context.all(Racer.self).first)
    bolt.trick = "sit"
    #expect(throws: DataStoreError.uniqueConflict) { try context.save() }
    context.rollback()
    bolt.trick = nil
    try context.save()
    let hound = Hound("bolt", trick: "jump")
    hound.owner = Owner("Bob")
    context.insert(hound)
    try context.save()
    #expect(bolt.trick == "jump", "the row keeps its entity and gets the values")
    #expect(bolt.owner?.name == "Bob")
    #expect(hound.modelContext == nil)
    #expect(hound.persistentModelID == bolt.persistentModelID)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Racer>()) == 1)
    let other = ModelContext(container)
    let bird = Bird("bolt", born: 9)
    other.insert(bird)
    let nest = Habitat("nest")
    nest.flock = [bird]
    other.insert(nest)
    let refusal = #expect(throws: DataStoreError.self) { try other.save() }
    #expect(refusal == .uniqueConflict, "a racer cannot become a bird")
    #expect(refusal?.entity == "Bird")
    #expect(refusal?.identifiers == [bolt.persistentModelID])
    bird.name = "swift"
    try other.save()
    #expect(nest.flock.map(\.name) == ["swift"])
    try StoredReferences.check(container)
  }

  @Test func `add their superclasses to a schema, but not their subclasses`() throws {
    let container = try fixtures.open(.memory, for: Racer.self)
    let context = ModelContext(container)
    context.insert(Racer("bolt"))
    try context.save()
    #expect(try context.all(Being.self).map(\.name) == ["bolt"])
    let base = ModelContext(try fixtures.open(.memory, for: Owner.self))
    base.insert(Parrot("coco", words: []))
    let error = #expect(throws: SwiftDataError.self) { try base.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.entity == "Parrot")
  }

  @Test func `are refused if a class between them is no model`() {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try fixtures.open(.memory, for: Android.self)
    }
    #expect(error?.entity == "Robot")
    #expect(error?.message.contains("is no model itself; make it a @Model class") == true)
  }
}

private class Robot: Being { var parts = 1 }

@Model
private final class Android: Robot {
  var serial: String

  init(serial: String) {
    self.serial = serial
    super.init("android")
  }
}
