import OpenSwiftData
import StoreTestSupport
import Testing

/// The keys of new objects, which determine the order in which a store returns them.
@Suite("The keys of new objects")
struct SavedOrderTests {
  private let fixtures = ContainerFixtures()

  private func number(of model: any PersistentModel) throws -> Int64 {
    try #require(model.persistentModelID.integerKey)
  }

  @Test(arguments: EveryStore.allCases)
  func `are consecutive in each hierarchy, in the order of insertion`(store: EveryStore) throws {
    let container = try fixtures.open(
      store,
      for: Crew.self,
      Oarsman.self,
      Coxswain.self,
      Skiff.self
    )
    let context = ModelContext(container)
    var crews: [Crew] = []
    var sailors: [Oarsman] = []
    for number in 0..<4 {
      let crew = Crew("crew \(number)")
      let steers = Coxswain("b \(number)", voice: number)
      steers.skiff = Skiff("boat \(number)")
      crew.sailors = [Oarsman("c \(number)"), steers, Oarsman("a \(number)")]
      sailors += crew.sailors
      crews.append(crew)
      context.insert(crew)
    }
    try context.save()
    for models in [crews, sailors, sailors.compactMap(\.skiff)] as [[any PersistentModel]] {
      let numbers = try models.map(number)
      #expect(numbers == (0..<Int64(models.count)).map { numbers[0] + $0 })
    }
    let reader = ModelContext(container)
    #expect(
      try reader.fetch(FetchDescriptor<Oarsman>()).map(\.name) == sailors.map(\.name)
    )
    let read = try reader.fetch(FetchDescriptor<Crew>())
    #expect(read.map { $0.sailors.map(\.name) } == crews.map { $0.sailors.map(\.name) })
    #expect(read.allSatisfy { crew in crew.sailors.allSatisfy { $0.crew === crew } })
    #expect(read.map { $0.sailors[1].skiff?.owner === $0.sailors[1] } == [true, true, true, true])
  }

  /// A store then knows a row's key when it writes a reference to it.
  @Test(arguments: EveryStore.allCases)
  func `are lower for objects that others refer to`(store: EveryStore) throws {
    let container = try fixtures.open(
      store,
      for: Crew.self,
      Oarsman.self,
      Coxswain.self,
      Skiff.self
    )
    let context = ModelContext(container)
    let skiff = Skiff("boat")
    let sailor = Oarsman("s")
    let crew = Crew("c")
    for model in [skiff, sailor, crew] as [any PersistentModel] { context.insert(model) }
    sailor.crew = crew
    skiff.owner = sailor
    try context.save()
    #expect(try number(of: crew) < number(of: sailor))
    let read = try ModelContext(container).fetch(FetchDescriptor<Skiff>())
    #expect(read.first?.owner?.crew?.name == "c")
  }

  @Test(arguments: EveryStore.allCases)
  func `follow only the order of insertion if references are unique`(
    store: EveryStore
  ) throws {
    let container = try fixtures.open(store, for: Chair.self, Room.self)
    let context = ModelContext(container)
    let lonely = Chair(1, in: nil)
    context.insert(lonely)
    let room = Room("hall")
    context.insert(room)
    let chair = Chair(1, in: room)
    context.insert(chair)
    try context.save()
    #expect(try number(of: lonely) < number(of: room))
    #expect(try number(of: room) < number(of: chair))
  }
}

/// Objects that are related through one end before they are inserted.
@Suite("Inserting a graph of objects")
struct InsertedGraphTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Crew.self,
        Oarsman.self,
        Coxswain.self,
        Skiff.self,
        store: "memory:"
      )
    )
  }

  @Test func `finds all reachable objects from any start`() throws {
    func graph() -> [any PersistentModel] {
      let crew = Crew("c")
      let (first, second) = (Oarsman("first"), Coxswain("second", voice: 2))
      let (mentor, other) = (Oarsman("mentor"), Crew("other"))
      crew.sailors = [first, second]
      second.mentor = mentor
      mentor.crew = other
      first.skiff = Skiff("s")
      return [crew, first, second, mentor, other] + [first.skiff].compactMap { $0 }
    }
    for start in graph().indices {
      let context = try context()
      let objects = graph()
      func insert(_ model: some PersistentModel) { context.insert(model) }
      insert(objects[start])
      #expect(context.insertedModelsArray.count == 6, "from \(start)")
      #expect(objects.allSatisfy { $0.modelContext === context }, "from \(start)")
      try context.save()
      #expect(context.insertedModelsArray.isEmpty)
    }
  }

  @Test func `assigns an object of two lists to one of them`() throws {
    let context = try context()
    let sailor = Oarsman("s")
    let (first, second) = (Crew("first"), Crew("second"))
    first.sailors = [sailor]
    second.sailors = [sailor, Oarsman("t")]
    context.insert(first)
    context.insert(second)
    try context.save()
    let owners = [first, second].filter { $0.sailors.contains { $0 === sailor } }
    #expect(owners.count == 1)
    #expect(sailor.crew === owners.first)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Oarsman>()) == 2)
  }

  @Test func `ends at a cycle`() throws {
    let context = try context()
    let (one, two, three) = (Oarsman("1"), Oarsman("2"), Oarsman("3"))
    one.mentor = two
    two.mentor = three
    three.mentor = one
    context.insert(two)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Oarsman>()) == 3)
    #expect(one.pupils.first === three && two.pupils.first === one && three.pupils.first === two)
  }

  @Test func `includes objects that also belong to another owner`() throws {
    let context = try context()
    let crew = Crew("c")
    context.insert(crew)
    try context.save()
    let mentor = Oarsman("m")
    mentor.pupils = [Oarsman("a", crew: crew), Oarsman("b")]
    #expect(mentor.modelContext === context)
    try context.save()
    #expect(crew.sailors.map(\.name) == ["a"])
    #expect(mentor.pupils.map(\.name) == ["a", "b"])
    #expect(mentor.pupils.allSatisfy { $0.mentor === mentor })
  }
}
