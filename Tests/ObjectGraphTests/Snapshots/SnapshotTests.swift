import Observation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A snapshot of an object")
struct SnapshotTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `has the values of each attribute and the identifiers of related objects`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    _ = try saveVoyage(in: fixture.context())
    let context = try fixture.context()
    let voyage = try #require(try context.all(Voyage.self).first)
    let copy: ModelSnapshot<Voyage> = try voyage.snapshot()
    #expect(copy.persistentModelID == voyage.persistentModelID)
    #expect(copy.id == voyage.persistentModelID)
    #expect(copy.name == "North")
    #expect(copy.start.timeIntervalSinceReferenceDate == 0.1 + 0.2)
    #expect(copy.days == 3)
    #expect(copy.rating == .rough)
    #expect(copy.worst == nil)
    #expect(copy.harbour == Harbour(city: "Bergen", opened: nil))
    #expect(copy.harbour?.city == "Bergen")
    #expect(copy.log == ["out", ""])
    #expect(copy.identifiers(of: \.legs) == voyage.legs.map(\.persistentModelID))
    #expect(copy.identifier(of: \.captain) == voyage.captain?.persistentModelID)
    #expect(copy.legs.map(\.isReference) == [true, true])
    #expect(!copy.holds(\.legs))
    #expect(copy.holds(\.worst))
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `has the values of related objects of chosen relationships`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let voyage = try saveVoyage(in: fixture.context())
    let copy = try voyage.snapshot(including: \.legs, \Voyage.captain, \Captain.chests)
    #expect(copy.legs.map(\.title) == ["first", "second"])
    #expect(copy.legs.map(\.miles) == [1, 1])
    #expect(copy.captain?.name == "Ada")
    #expect(copy.captain?.badge == 7)
    #expect(copy.captain?.chests.map(\.label) == ["tools"])
    #expect(copy.captain?.chests.first?.identifier(of: \.owner) == copy.captain?.id)
    #expect(copy.flags.map(\.isReference) == [true, true])
  }

  @Test func `does not change with the object`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let copy = try voyage.snapshot(including: \.legs)
    voyage.name = "South"
    voyage.legs.removeAll()
    #expect(copy.name == "North")
    #expect(copy.legs.count == 2)
    #expect(try voyage.snapshot().name == "South")
  }

  @Test func `contains a reference if a related object refers back to the object`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let copy = try voyage.snapshot(including: \.legs, \Leg.voyage)
    #expect(copy.legs[0].voyage?.isReference == true)
    #expect(copy.legs[0].voyage?.id == voyage.persistentModelID)
  }

  @Test func `has the values of an object that occurs twice in both occurrences`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let other = Voyage("East")
    other.captain = voyage.captain
    other.flags = voyage.flags
    context.insert(other)
    let captain = try #require(voyage.captain)
    let copy = try captain.snapshot(including: \.voyages, \Voyage.flags)
    #expect(copy.voyages.map { $0.flags.map(\.word) } == [["red", "blue"], ["red", "blue"]])
  }

  @Test func `of a fully connected graph is no larger than that graph`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let sailors = (0..<30).map { Sailor("\($0)") }
    for sailor in sailors { sailor.friends = sailors }
    context.insert(sailors[0])
    let copy = try sailors[0].snapshot(including: \.friends)
    #expect(copy.friends.count == 30)
    #expect(copy.friends[0].isReference)
    #expect(copy.friends[29].name == "29")
    #expect(copy.friends[29].identifiers(of: \.friends).count == 30)
  }

  @Test func `of a chain that is too long ends with references`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let sailors = (0..<500).map { Sailor("\($0)") }
    for (sailor, next) in zip(sailors, sailors.dropFirst()) { sailor.crew = [next] }
    context.insert(sailors[0])
    var depth = 0
    var current = try sailors[0].snapshot(including: \.crew)
    while let next = current.crew.first, !next.isReference {
      depth += 1
      #expect(next.name == "\(depth)")
      current = next
    }
    #expect(depth == 64)
    #expect(current.crew.map(\.isReference) == [true])
    #expect(current.identifiers(of: \.crew) == [sailors[65].persistentModelID])
  }

  @Test func `can include only relationships`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    let error = #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try voyage.snapshot(including: \.name)
    }
    #expect(error?.property == "name")
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try voyage.snapshot(including: \.legs, \Harbour.city)
    }
  }

  @Test func `keeps the properties of the object's subclass`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    context.insert(CargoVoyage("Freight", tons: 4.5))
    try context.save()
    let voyage: Voyage = try #require(try context.all(Voyage.self).first)
    let copy = try voyage.snapshot()
    #expect(copy.entityName == "CargoVoyage")
    #expect(copy.as(CargoVoyage.self)?.tons == 4.5)
    #expect(copy.as(CargoVoyage.self)?.name == "Freight")
    #expect(copy.as(CargoVoyage.self)?.legs.isEmpty == true)
    #expect(copy.as(CargoVoyage.self)?.as(Voyage.self) == copy)
    #expect(try Voyage("Plain").snapshot().as(CargoVoyage.self) == nil)
  }

  @Test func `has the computed properties of the model`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let copy = try saveVoyage(in: context).snapshot(including: \.legs)
    #expect(copy.title == "North in 2 legs")
    #expect(!context.hasChanges)
  }

  @Test func `can be changed and composed`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    var copy = try voyage.snapshot(including: \.legs)
    let before = copy
    copy.name = "West"
    copy.harbour = nil
    copy.rating = .calm
    copy.legs.removeFirst()
    var leg = ModelSnapshot<Leg>()
    leg.title = "new"
    copy.legs.append(leg)
    copy.captain = ModelSnapshot<Captain>()
    copy.captain?.name = "Grace"
    #expect(copy != before)
    #expect(copy.name == "West" && copy.harbour == nil && copy.rating == .calm)
    #expect(copy.legs.map(\.title) == ["second", "new"])
    #expect(copy.captain?.name == "Grace")
    #expect(before.name == "North" && before.legs.count == 2)
    #expect(!context.hasChanges)
  }

  @Test func `without values reads as the initial values`() {
    let copy = ModelSnapshot<Voyage>()
    #expect(copy.persistentModelID == nil)
    #expect(copy.id != ModelSnapshot<Voyage>().id)
    #expect(copy == ModelSnapshot<Voyage>())
    #expect(Set([copy, ModelSnapshot<Voyage>()]).count == 1)
    #expect(copy.name == "" && copy.days == nil && copy.rating == .calm && copy.log == [])
    #expect(copy.legs.isEmpty && copy.captain == nil)
    #expect(ModelSnapshot<Leg>().miles == 1)
    #expect(!copy.isReference && !copy.holds(\.name))
  }

  @Test func `has the id that the model declares`() throws {
    let sailor = Sailor("Jo")
    var copy = try sailor.snapshot()
    #expect(copy.id == sailor.id)
    let id = UUID()
    copy.id = id
    #expect(copy.id == id)
    #expect(copy[dynamicMember: \.id] == id)
    #expect(copy.persistentModelID == sailor.persistentModelID)
  }

  @Test func `leaves out chosen properties`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let copy = try saveVoyage(in: context).snapshot().without(\.name, \.legs)
    #expect(!copy.holds(\.name) && copy.name == "")
    #expect(copy.identifiers(of: \.legs).isEmpty)
    #expect(copy.days == 3)
  }

  @Test func `can be taken of unsaved and deleted objects, but not of stand-ins`() throws {
    let fixture = try ContainerFixture(forVoyages: .memory)
    let context = try fixture.context()
    let voyage = Voyage("New")
    #expect(try voyage.snapshot().name == "New")
    context.insert(voyage)
    #expect(try voyage.snapshot().persistentModelID == voyage.persistentModelID)
    try context.save()
    let identifier = voyage.persistentModelID
    context.delete(voyage)
    #expect(try voyage.snapshot().name == "New")
    try context.save()
    #expect(try voyage.snapshot().persistentModelID == identifier)
    let standIn = try fixture.context().model(for: identifier)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try (standIn as? Voyage)?.snapshot()
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `has the last values of an object that another context deleted`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let here = try fixture.context()
    let voyage = try saveVoyage(in: here)
    let there = ModelContext(here.container)
    try there.all(Voyage.self).forEach { there.delete($0) }
    try there.save()
    #expect(try here.all(Voyage.self).isEmpty)
    let copy = try voyage.snapshot()
    #expect(copy.name == "North" && copy.days == 3)
    let made = try here.upsert(copy)
    #expect(made !== voyage && made.name == "North")
    try here.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `has all values of a partially fetched object`(store: EveryStore) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    _ = try saveVoyage(in: fixture.context())
    let context = try fixture.context()
    var descriptor = FetchDescriptor<Voyage>()
    descriptor.propertiesToFetch = [\.name]
    let copy = try #require(try context.fetch(descriptor).first).snapshot(including: \.legs)
    #expect(copy.name == "North" && copy.days == 3 && copy.log == ["out", ""])
    #expect(copy.harbour?.city == "Bergen" && copy.legs.map(\.title) == ["first", "second"])
  }

  @Test func `counts as a read of the object for observation`() async {
    let voyage = Voyage("New")
    await confirmation { changed in
      let copy = withObservationTracking {
        try? voyage.snapshot()
      } onChange: {
        changed()
      }
      #expect(copy?.days == nil)
      voyage.days = 9
    }
  }
}
