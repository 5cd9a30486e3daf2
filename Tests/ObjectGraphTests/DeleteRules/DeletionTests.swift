import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A deletion")
struct DeletionTests {
  private let fixtures = ContainerFixtures()

  @Test(arguments: EveryStore.withTextKeys)
  func `cascades along 10,000 objects and around a cycle`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Bead.self)
    let context = ModelContext(container)
    let beads = (0..<10_000).map { Bead($0) }
    for (one, other) in zip(beads, beads.dropFirst()) { one.next = other }
    beads.last?.next = beads.first
    context.insert(beads[0])
    context.insert(Bead(-1))
    try context.save()
    context.delete(beads[5_000])
    try context.save()
    #expect(try ModelContext(container).all(Bead.self).map(\.number) == [-1])
    #expect(beads.filter { !$0.isDeleted }.isEmpty)
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is denied through a cascade unless the denying object is deleted too`(
    store: EveryStore
  ) throws {
    let container = try fixtures.open(store, for: Firm.self)
    let context = ModelContext(container)
    let firm = Firm()
    let office = Office()
    let clerk = Clerk()
    firm.offices = [office]
    office.clerks = [clerk]
    context.insert(firm)
    try context.save()
    context.delete(firm)
    let error = #expect(throws: DataStoreError.self) { try context.save() }
    #expect(error == .deletionDenied)
    #expect(error?.entity == "Office")
    #expect(error?.property == "clerks")
    #expect(error?.message.contains("Clerk/") == true)
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Firm>()) == 1)
    #expect(try fresh.fetchCount(FetchDescriptor<Office>()) == 1)
    context.rollback()
    #expect(firm.offices.count == 1)
    #expect(!office.isDeleted)
    context.delete(firm)
    context.delete(clerk)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Office>()) == 0)
    let other = ModelContext(container)
    other.insert(Office())
    try other.save()
    #expect(try other.all(Office.self).count == 1)
    other.delete(try #require(try other.all(Office.self).first))
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Office>()) == 0)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `by predicate applies to pending changes, and follows the rules`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Firm.self)
    let context = ModelContext(container)
    let firms = (0..<6).map { number in
      let firm = Firm()
      firm.number = number
      firm.offices = [Office()]
      context.insert(firm)
      return firm
    }
    try context.save()
    firms[0].number = 100
    firms[5].number = 0
    let new = Firm()
    new.number = 100
    new.offices = [Office()]
    context.insert(new)
    try context.delete(model: Firm.self, where: #Predicate { $0.number >= 3 })
    #expect(firms.map(\.isDeleted) == [true, false, false, true, true, false])
    #expect(new.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Firm>()) == 3)
    let stored = ModelContext(container)
    #expect(
      try stored.fetchCount(FetchDescriptor<Firm>()) == 6,
      "nothing is deleted before the save"
    )
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.all(Firm.self).map(\.number) == [1, 2, 0])
    #expect(try fresh.fetchCount(FetchDescriptor<Office>()) == 3)
    try context.delete(model: Firm.self)
    context.rollback()
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Firm>()) == 3)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `by predicate can be denied`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Firm.self)
    let context = ModelContext(container)
    for _ in 0..<2 { context.insert(Office()) }
    let office = Office()
    office.clerks = [Clerk()]
    context.insert(office)
    try context.save()
    try context.delete(model: Office.self)
    #expect(throws: DataStoreError.deletionDenied) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Office>()) == 3)
    try context.delete(model: Clerk.self)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Office>()) == 0)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `with the rule noAction clears references at the save`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Lord.self)
    let context = ModelContext(container)
    let lord = Lord()
    lord.serfs = [Serf(), Serf()]
    lord.castle = Castle()
    context.insert(lord)
    try context.save()
    let serf = try #require(lord.serfs.first)
    context.delete(lord)
    try context.save()
    #expect(serf.lord == nil)
    for serf in try ModelContext(container).all(Serf.self) { #expect(serf.lord == nil) }
    #expect(try ModelContext(container).all(Castle.self).map { $0.lord == nil } == [true])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `with the rule noAction fails if a required relationship would be empty`(
    store: EveryStore
  ) throws {
    let container = try fixtures.open(store, for: Host.self)
    let context = ModelContext(container)
    let host = Host()
    context.insert(Parasite(host))
    try context.save()
    context.delete(host)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.entity == "Parasite")
    #expect(error?.property == "host")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Host>()) == 1)
    try context.delete(model: Parasite.self)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Host>()) == 0)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of a new object leaves no references to it`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Lord.self)
    let context = ModelContext(container)
    let (lord, serf) = (Lord(), Serf())
    context.insert(serf)
    try context.save()
    lord.serfs = [serf]
    lord.castle = Castle()
    context.delete(lord)
    try context.save()
    #expect(serf.lord == nil)
    #expect(try ModelContext(container).all(Serf.self).map { $0.lord == nil } == [true])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Lord>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Castle>()) == 1)
  }
}

@Model
private final class Bead {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Bead.previous) var next: Bead?
  var previous: Bead?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
private final class Firm {
  var number = 0
  @Relationship(deleteRule: .cascade, inverse: \Office.firm) var offices: [Office] = []

  init() {}
}

@Model
private final class Office {
  var firm: Firm?
  @Relationship(deleteRule: .deny, inverse: \Clerk.office) var clerks: [Clerk] = []

  init() {}
}

@Model
private final class Clerk {
  var office: Office?

  init() {}
}

@Model
private final class Lord {
  @Relationship(deleteRule: .noAction, inverse: \Serf.lord) var serfs: [Serf] = []
  @Relationship(deleteRule: .noAction, inverse: \Castle.lord) var castle: Castle?

  init() {}
}

@Model
private final class Serf {
  var lord: Lord?

  init() {}
}

@Model
private final class Castle {
  var lord: Lord?

  init() {}
}

@Model
private final class Host {
  @Relationship(deleteRule: .noAction, inverse: \Parasite.host) var parasites: [Parasite] = []

  init() {}
}

@Model
private final class Parasite {
  var host: Host

  init(_ host: Host) {
    self.host = host
  }
}
