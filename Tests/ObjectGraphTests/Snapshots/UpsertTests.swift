import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Upserting a snapshot")
struct UpsertTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `creates a new object with its related objects`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    try {
      var voyage = ModelSnapshot<Voyage>()
      voyage.name = "South"
      voyage.start = Date(timeIntervalSinceReferenceDate: 1)
      voyage.legs = ["b", "a", "c"].map { title in
        var leg = ModelSnapshot<Leg>()
        leg.title = title
        return leg
      }
      var captain = ModelSnapshot<Captain>()
      captain[dynamicMember: \.name] = "Ada"
      voyage.captain = captain
      let context = try fixture.context()
      // The badge is a constant that the object requires and the snapshot lacks.
      let error = #expect(throws: SwiftDataError.modelValidationFailure) {
        try context.upsert(voyage)
      }
      #expect(error?.entity == "Captain" && error?.property == "badge")
      context.rollback()
      voyage.captain = try Captain("Ada", badge: 5).snapshot()
      let made = try context.upsert(voyage)
      #expect(made.legs.map(\.title) == ["b", "a", "c"])
      #expect(made.legs[0].voyage === made)
      #expect(made.captain?.voyages.first === made)
      try context.save()
    }()
    let back = try #require(try fixture.context().all(Voyage.self).first)
    #expect(back.name == "South" && back.rating == .calm && back.log == [])
    #expect(back.legs.map(\.title) == ["b", "a", "c"])
    #expect(back.captain?.badge == 5)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `changes only what differs in the object of its identifier`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    var copy = try saveVoyage(in: fixture.context()).snapshot()
    let context = try fixture.context()
    let voyage = try #require(try context.all(Voyage.self).first)
    #expect(try context.upsert(copy) === voyage)
    #expect(!context.hasChanges)
    copy.days = nil
    copy.harbour?.city = "Oslo"
    #expect(try context.upsert(copy) === voyage)
    #expect(voyage.days == nil && voyage.harbour?.city == "Oslo")
    #expect(context.changedModelsArray.count == 1)
    #expect(voyage.legs.count == 2)
    try context.save()
    #expect(try fixture.context().all(Voyage.self).map(\.days) == [nil])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `updates the object with its unique values, stored or not`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let saved = try saveVoyage(in: fixture.context()).persistentModelID
    let body = #"{"name": "North", "start": 9, "flags": [{"word": "green"}, {"word": "red"}]}"#
    let copy = try JSONDecoder().decode(ModelSnapshot<Voyage>.self, from: Data(body.utf8))
    let context = try fixture.context()
    let voyage = try context.upsert(copy)
    #expect(voyage.persistentModelID == saved)
    #expect(voyage.days == 3)
    #expect(voyage.flags.map(\.word) == ["green", "red"])
    var other = copy
    other.name = "Other"
    let made = try context.upsert(other)
    #expect(made !== voyage)
    #expect(made.flags.first === voyage.flags.first)
    #expect(
      try context.upsert([other, other, copy]).map(ObjectIdentifier.init)
        == [made, made, voyage].map(ObjectIdentifier.init)
    )
    try context.save()
    #expect(try fixture.context().fetchCount(FetchDescriptor<Flag>()) == 3)
    #expect(try fixture.context().fetchCount(FetchDescriptor<Voyage>()) == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `updates the object with the same related object and value`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let context = try fixture.context()
    _ = try saveVoyage(in: context)
    let chest = try #require(try context.all(Chest.self).first)
    var copy = try chest.snapshot()
    copy.persistentModelID = nil
    copy.weight = 8
    // The snapshot has only the identifier of the owner.
    #expect(try context.upsert(copy) === chest)
    #expect(chest.weight == 8)
    copy.label = "more"
    let more = try context.upsert(copy)
    #expect(more !== chest && more.owner === chest.owner)
    #expect(try context.upsert(copy) === more)
    try context.save()
    #expect(try fixture.context().all(Captain.self).first?.chests.map(\.weight) == [8, 8])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `sets its related objects in their order, and removes others`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    var copy = try saveVoyage(in: fixture.context())
      .snapshot(including: \.legs, \Voyage.flags, \Flag.voyages)
    copy.legs.reverse()
    copy.legs[0].title = "changed"
    copy.legs.insert(try Leg("between").snapshot(), at: 1)
    copy.flags.removeFirst()
    try {
      let context = try fixture.context()
      try context.upsert(copy)
      try context.save()
    }()
    let context = try fixture.context()
    let voyage = try #require(try context.all(Voyage.self).first)
    #expect(voyage.legs.map(\.title) == ["changed", "between", "first"])
    #expect(voyage.flags.map(\.word) == ["blue"])
    #expect(try context.all(Leg.self).count == 3)
    let flags = try context.all(Flag.self)
    #expect(flags.map { $0.voyages.count } == [0, 1])
  }

  @Test func `keeps what the snapshot does not contain`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let copy = try voyage.snapshot().without(\.days)
    voyage.days = 12
    voyage.legs.append(Leg("third"))
    voyage.captain = nil
    try context.upsert(copy)
    #expect(voyage.days == 12 && voyage.legs.count == 3 && voyage.captain == nil)
  }

  @Test func `keeps a nested object related to its parent`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let other = Voyage("Other")
    other.flags = voyage.flags
    context.insert(other)
    try context.save()
    let data = try JSONEncoder().encode(voyage.snapshot(including: \.flags, \Flag.voyages))
    try context.upsert(JSONDecoder().decode(ModelSnapshot<Voyage>.self, from: data))
    #expect(!context.hasChanges)
    #expect(voyage.flags.map { $0.voyages.count } == [2, 2])
  }

  @Test func `refuses other values of constants`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let captain = try #require(try saveVoyage(in: context).captain)
    var copy = try captain.snapshot()
    copy.name = "Grace"
    #expect(try context.upsert(copy).name == "Grace")
    var other = try Captain("Grace", badge: 99).snapshot()
    other.persistentModelID = captain.persistentModelID
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.upsert(other)
    }
    #expect(error?.property == "badge")
    #expect(try context.upsert(other.without(\.badge)) === captain)
  }

  @Test func `resolves a reference to a stored object, or throws`() throws {
    let fixture = try ContainerFixture(forVoyages: .memory)
    let context = try fixture.context()
    let voyage = try saveVoyage(in: context)
    let captain = try #require(voyage.captain).persistentModelID
    var other = try Voyage("Other").snapshot()
    other.captain = ModelSnapshot<Captain>(captain)
    #expect(try context.upsert(other).captain === voyage.captain)
    let elsewhere = try saveVoyage(in: ContainerFixture(forVoyages: .memory).context())
    other.captain = try ModelSnapshot<Captain>(#require(elsewhere.captain).persistentModelID)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.upsert(other)
    }
    #expect(error?.entity == "Captain")
    var legs = try voyage.snapshot(including: \.legs)
    legs.legs.append(ModelSnapshot<Leg>(captain))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.upsert(legs) }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `uses the model of the original object`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let context = try fixture.context()
    context.insert(CargoVoyage("Freight", tons: 1))
    try context.save()
    let voyage = try #require(try context.all(Voyage.self).first)
    let copy = try voyage.snapshot()
    context.delete(voyage)
    try context.save()
    let made = try context.upsert(copy)
    #expect((made as? CargoVoyage)?.tons == 1)
    #expect(made.persistentModelID != copy.persistentModelID)
    try context.save()
    var wrong = try Voyage("x").snapshot()
    wrong.persistentModelID = made.persistentModelID
    wrong.name = "by the base's properties"
    #expect(try context.upsert(wrong) === made)
    var sub = try CargoVoyage("y", tons: 2).snapshot()
    let plain = Voyage("Plain")
    context.insert(plain)
    try context.save()
    sub.persistentModelID = plain.persistentModelID
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.upsert(sub) }
  }

  @Test func `restores a deleted object`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let copy = try voyage.snapshot(including: \.legs)
    context.delete(voyage)
    #expect(try context.upsert(copy) === voyage)
    #expect(!voyage.isDeleted)
    context.delete(voyage)
    try context.save()
    let made = try context.upsert(copy)
    #expect(made !== voyage)
    #expect(made.legs.map(\.title) == ["first", "second"])
    // Objects that were not included are related again if they still exist.
    #expect(made.captain?.name == "Ada")
    try context.save()
  }

  @Test func `creates a separate object if the snapshot is inserted instead`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    var copy = try voyage.snapshot(including: \.legs)
    copy.name = "Copy of \(copy.name)"
    copy.legs = copy.legs.map { leg in
      var leg = leg
      leg.persistentModelID = nil
      return leg
    }
    let made = try context.insert(copy)
    try context.save()
    #expect(made !== voyage && made.name == "Copy of North")
    #expect(made.legs.map(\.title) == ["first", "second"] && voyage.legs.count == 2)
    #expect(made.captain === voyage.captain)
  }

  @Test func `sees what other contexts saved`() throws {
    let fixture = try ContainerFixture(forVoyages: .memory)
    let here = try fixture.context()
    let voyage = try saveVoyage(in: here)
    var copy = try voyage.snapshot()
    let there = try fixture.context()
    try there.all(Voyage.self).first?.days = 50
    try there.save()
    copy.days = 3
    try here.upsert(copy)
    try here.save()
    #expect(try fixture.context().all(Voyage.self).first?.days == 3)
    try there.all(Voyage.self).forEach { there.delete($0) }
    try there.save()
    let made = try here.upsert(copy)
    #expect(made !== voyage)
    try here.save()
    #expect(try fixture.context().all(Voyage.self).count == 1)
  }

  @Test func `changes nothing if one of the snapshots nests too deeply`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let sailor = Sailor("Jo")
    context.insert(sailor)
    try context.save()
    var copy = try sailor.snapshot()
    copy.name = "Ann"
    var deep = copy
    for _ in 0..<80 {
      var next = try Sailor("x").snapshot()
      next.crew = [deep]
      deep = next
    }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.upsert([copy, deep]) }
    #expect(sailor.name == "Jo" && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Sailor>()) == 1)
  }

  @Test func `finds many objects with one query`() throws {
    let script = RecordingScript(
      capabilities: StoreCapabilities(filtering: .native, sorting: .native)
    )
    let container = try ModelContainer(
      for: Schema(Leg.self),
      configurations: RecordingStoreConfiguration(script: script)
    )
    let context = ModelContext(container)
    let scope = PersistentIdentifier.Scope(storeIdentifier: "recording", entityName: "Leg")
    let legs = (1...100).map { number in
      var leg = ModelSnapshot<Leg>(PersistentIdentifier(scope: scope, key: .integer(Int64(number))))
      leg.title = "\(number)"
      return leg
    }
    script.forgetCalls()
    #expect(try context.upsert(legs).map(\.title) == (1...100).map { "\($0)" })
    #expect(script.calls.count == 1)
  }

  @Test func `fails for a model that the schema lacks`() throws {
    let context = try ContainerFixture(.memory, for: Sailor.self).context()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.upsert(Voyage("x").snapshot())
    }
  }
}

@Suite("Snapshots between actors")
struct SnapshotActorTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `are sent to an actor and back`(store: EveryStore) async throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let worker = Harbourmaster(modelContainer: try fixture.open())
    try await worker.fill()
    var copies = try await worker.voyages()
    #expect(copies.map(\.name) == ["A", "B"])
    #expect(copies.flatMap(\.legs).map(\.title) == ["a1", "a2", "b1"])
    copies[1].legs.append(copies[0].legs.removeLast())
    try await worker.take(copies)
    let again = try await worker.voyages()
    #expect(again.map { $0.legs.map(\.title) } == [["a1"], ["b1", "a2"]])
    let legs = copies.flatMap { $0.legs }.map(\.persistentModelID)
    #expect(again.flatMap { $0.legs }.map(\.persistentModelID) == legs)
  }
}

@ModelActor
private actor Harbourmaster {
  func fill() throws {
    for (name, legs) in [("A", ["a1", "a2"]), ("B", ["b1"])] {
      let voyage = Voyage(name)
      voyage.legs = legs.map { Leg($0) }
      modelContext.insert(voyage)
    }
    try modelContext.save()
  }

  func voyages() throws -> [ModelSnapshot<Voyage>] {
    try modelContext.fetch(FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)]))
      .map { try $0.snapshot(including: \.legs) }
  }

  func take(_ voyages: [ModelSnapshot<Voyage>]) throws {
    try modelContext.upsert(voyages)
    try modelContext.save()
  }
}
