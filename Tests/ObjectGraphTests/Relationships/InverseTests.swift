import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The inverse of a relationship")
struct InverseTests {
  private let fixtures = ContainerFixtures()

  private func error(_ types: any PersistentModel.Type...) -> SwiftDataError? {
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(types), configurations: [MemoryStoreConfiguration()])
    }
  }

  private func inverse(_ property: String, of type: any PersistentModel.Type) -> String? {
    let entity = Schema([type]).storeSchema.entity(named: String(describing: type))
    return entity?.property(named: property)?.relationship?.inverse
  }

  @Test func `is ambiguous if several fit, and the error names the candidates`() {
    let error = error(Journey.self)
    #expect(error == .loadIssueModelContainer)
    #expect(error?.entity == "Journey")
    #expect(error?.property == "from")
    #expect(error?.message.contains("Journey.from, Journey.to, Station.journeys") == true)
  }

  @Test func `can be declared on both sides`() throws {
    #expect(inverse("guests", of: Party.self) == "party")
    #expect(inverse("party", of: Guest.self) == "guests")
    _ = try fixtures.open(.memory, for: Party.self)
  }

  @Test func `must not be declared differently on the other side`() {
    let error = error(Oak.self)
    #expect(error == .loadIssueModelContainer)
    #expect(error?.message.contains("one side") == true)
    #expect(error?.entity == "Oak" && error?.property == "leaf")
  }

  @Test func `must not be declared as nil on the other side`() {
    let error = error(Door.self)
    #expect(error == .loadIssueModelContainer)
    #expect(error?.entity == "Door")
    #expect(error?.property == "key")
  }

  @Test func `must refer back to the model`() {
    let error = error(Sender.self)
    #expect(error == .loadIssueModelContainer)
    #expect(error?.property == "letter")
    #expect(error?.message.contains("Parcel.carrier") == true)
  }

  @Test func `must be a relationship`() {
    let error = error(Plate.self)
    #expect(error == .loadIssueModelContainer)
    #expect(error?.property == "car")
  }

  @Test func `can be shared by two relationships`() {
    #expect(throws: Never.self) {
      try ModelContainer(
        for: Schema([Boss.self, Worker.self]),
        configurations: [MemoryStoreConfiguration()]
      )
    }
  }

  @Test func `is inferred if other relationships of the two models are declared`() {
    #expect(inverse("home", of: Walker.self) == "residents")
    #expect(inverse("work", of: Walker.self) == "workers")
    #expect(inverse("seen", of: Walker.self) == nil)
  }

  @Test func `is inferred between a class and its superclass`() {
    #expect(inverse("folder", of: Entry.self) == "entries")
    #expect(inverse("entries", of: Folder.self) == "folder")
    let folder = Schema([Folder.self]).storeSchema.entity(named: "Folder")
    #expect(folder?.property(named: "folder")?.relationship?.inverse == "entries")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `agrees across several relationships of two models`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Walker.self)
    let context = ModelContext(container)
    let (rome, oslo) = (Town("Rome"), Town("Oslo"))
    let ann = Walker("Ann")
    context.insert(ann)
    ann.home = rome
    oslo.workers.append(ann)
    ann.seen = [rome, oslo]
    #expect(ann.work === oslo)
    #expect(rome.residents.map(\.name) == ["Ann"])
    #expect(rome.workers.isEmpty)
    try context.save()
    let stored = try #require(try ModelContext(container).all(Walker.self).first)
    #expect(stored.home?.name == "Rome")
    #expect(stored.work?.name == "Oslo")
    #expect(stored.seen.map(\.name) == ["Rome", "Oslo"])
    #expect(stored.home?.residents.map(\.name) == ["Ann"])
    #expect(stored.work?.residents.isEmpty == true)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `agrees in a tree of different classes`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Folder.self)
    let context = ModelContext(container)
    let (root, sub, entry) = (Folder("root"), Folder("sub"), Entry("entry"))
    sub.folder = root
    entry.folder = sub
    context.insert(entry)
    #expect(root.entries.map(\.name) == ["sub"])
    #expect(sub.entries.map(\.name) == ["entry"])
    try context.save()
    let stored = try ModelContext(container).all(Folder.self)
    #expect(
      stored.map { $0.entries.map(\.name).first }
        == (stored.map {
          $0.name == "root" ? "sub" : "entry"
        })
    )
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be the relationship itself`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Mate.self)
    let context = ModelContext(container)
    let mates = ["a", "b", "c"].map(Mate.init)
    for mate in mates { context.insert(mate) }
    mates[0].partner = mates[1]
    mates[0].friends = [mates[1], mates[2]]
    #expect(mates[1].partner === mates[0])
    mates[2].partner = mates[1]
    #expect(mates[0].partner == nil)
    #expect(mates[1].friends.map(\.name) == ["a"])
    try context.save()
    let stored = try ModelContext(container).all(Mate.self)
    #expect(stored.map { $0.partner?.name } == [nil, "c", "b"])
    #expect(stored.map { $0.friends.map(\.name) } == [["b", "c"], ["a"], ["a"]])
    mates[1].partner = nil
    mates[2].friends.removeAll()
    try context.save()
    let last = try ModelContext(container).all(Mate.self)
    #expect(last.map { $0.partner?.name } == [nil, nil, nil])
    #expect(last.map { $0.friends.map(\.name) } == [["b"], ["a"], []])
    try StoredReferences.check(container)
  }
}
