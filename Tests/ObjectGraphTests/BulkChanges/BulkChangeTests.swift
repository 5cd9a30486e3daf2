import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Changes of all objects that match a predicate, in contexts without registered objects, so that a
/// store that supports bulk changes executes them.
@Suite("A bulk change")
struct BulkChangeTests {
  private let fixtures = ContainerFixtures()

  private func filled(_ store: EveryStore) throws -> ModelContainer {
    let container = try fixtures.open(
      store,
      for: Freight.self,
      ExpressFreight.self,
      Warehouse.self,
      Watchman.self,
      Sticker.self,
      Placard.self
    )
    let context = ModelContext(container)
    let depots = ["a", "b"].map(Warehouse.init)
    for depot in depots { context.insert(depot) }
    depots[0].tags = [Sticker("red"), Sticker("blue")]
    depots[1].tags = [depots[0].tags[0]]
    for number in 0..<10 { context.insert(Freight(number, depot: depots[number % 2])) }
    for number in 10..<14 { context.insert(ExpressFreight(number, depot: depots[number % 2])) }
    try context.save()
    return container
  }

  private func labels(_ container: ModelContainer) throws -> [String] {
    let sorted = FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.code)])
    return try ModelContext(container).fetch(sorted).map(\.label)
  }

  private func weights(_ container: ModelContainer) throws -> [Int] {
    let sorted = FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.code)])
    return try ModelContext(container).fetch(sorted).map(\.weight)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `takes effect when it is saved, and not if it is rolled back`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 2 })
    #expect(context.hasChanges)
    #expect(try labels(container).count == 14)
    context.rollback()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try labels(container).count == 14)
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 2 })
    try context.save()
    #expect(!context.hasChanges)
    #expect(try labels(container) == ["p0", "p1", "p2"])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `includes or excludes subclasses`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    try context.delete(
      model: Freight.self,
      where: #Predicate { $0.weight > 8 },
      includeSubclasses: false
    )
    try context.save()
    #expect(try labels(container).count == 13)
    try context.delete(model: ExpressFreight.self)
    try context.save()
    #expect(try labels(container) == (0..<9).map { "p\($0)" })
    try context.delete(model: Freight.self)
    try context.save()
    #expect(try labels(container) == [])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is visible in its context before it is saved`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 2 })
    #expect(try context.fetchCount(FetchDescriptor<Freight>()) == 3)
    #expect(context.deletedModelsArray.count == 11)
    let other = ModelContext(container)
    try other.delete(model: Warehouse.self, where: #Predicate { $0.name == "a" })
    #expect(try other.fetch(FetchDescriptor<Freight>()).allSatisfy { $0.depot?.name == "b" })
    try other.save()
    try context.save()
    #expect(try labels(container) == ["p1"])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `affects an object that is requested by identifier before the save`(
    store: EveryStore
  ) throws {
    let container = try filled(store)
    let heavy = FetchDescriptor<Freight>(predicate: #Predicate { $0.code == 5 })
    let identifier = try #require(try ModelContext(container).fetchIdentifiers(heavy).first)
    let context = ModelContext(container)
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 2 })
    let found = context.model(for: identifier)
    #expect(found === context.registeredModel(for: identifier) as Freight?)
    #expect(found.isDeleted)
    #expect(context.deletedModelsArray.contains { $0 === found })
    try context.save()
    #expect(try labels(container) == ["p0", "p1", "p2"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `includes registered and unsaved objects`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    let registered = try #require(
      try context.fetch(FetchDescriptor<Freight>(predicate: #Predicate { $0.code == 5 })).first
    )
    context.insert(Freight(20))
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 2 })
    #expect(registered.isDeleted)
    context.insert(Freight(21))
    try context.save()
    #expect(try labels(container) == ["p0", "p1", "p2", "p21"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `does not affect objects that are inserted after it`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 2 })
    context.insert(Freight(5))
    try context.save()
    #expect(try labels(container) == ["p0", "p1", "p2", "p5"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `cascades, and keeps related objects of many-to-many relationships`(store: EveryStore) throws
  {
    let container = try filled(store)
    let context = ModelContext(container)
    try context.delete(model: Warehouse.self, where: #Predicate { $0.name == "a" })
    try context.save()
    #expect(try labels(container) == ["p1", "p3", "p5", "p7", "p9", "p11", "p13"])
    let tags = try ModelContext(container).fetch(FetchDescriptor<Sticker>())
    #expect(
      tags.map { "\($0.text) \($0.depots.map(\.name))" }.sorted() == [
        #"blue []"#, #"red ["b"]"#,
      ]
    )
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `cascades in a save with a change of an object that it does not concern`(
    store: EveryStore
  ) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    let placard = Placard("new")
    context.insert(placard)
    try context.save()
    try context.delete(model: Warehouse.self, where: #Predicate { $0.name == "a" })
    placard.text = "changed"
    try context.save()
    #expect(try labels(container) == ["p1", "p3", "p5", "p7", "p9", "p11", "p13"])
    let placards = try ModelContext(container).fetch(FetchDescriptor<Placard>())
    #expect(placards.map(\.text) == ["changed"])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is refused if an object would lose a required related object`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    let depot = try #require(try context.fetch(FetchDescriptor<Warehouse>()).first)
    context.insert(Watchman("g", depot))
    try context.save()
    let fresh = ModelContext(container)
    try fresh.delete(model: Warehouse.self)
    let error = #expect(throws: SwiftDataError.self) { try fresh.save() }
    #expect(error?.code == SwiftDataError.modelValidationFailure.code)
    #expect(error?.entity == "Watchman")
    #expect(error?.property == "depot")
    #expect(try labels(container).count == 14)
    #expect(fresh.hasChanges)
    fresh.rollback()
    try fresh.delete(model: Watchman.self)
    try fresh.delete(model: Warehouse.self)
    try fresh.save()
    #expect(try labels(container) == [])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `updates attributes with constant and computed values`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    let day = Date(timeIntervalSinceReferenceDate: 1e9)
    let count = try context.update(
      model: Freight.self,
      where: #Predicate { $0.weight < 3 },
      set: .set(\.weight, to: #Expression { $0.weight * 10 + 1 }),
      .set(\.label, to: "e\u{301}"),
      .set(\.sent, to: day)
    )
    #expect(count == 3)
    #expect(try weights(container)[..<4] == [0, 1, 2, 3])
    try context.save()
    #expect(try weights(container)[..<4] == [1, 11, 21, 3])
    let fresh = ModelContext(container)
    #expect(
      try fresh.fetchCount(FetchDescriptor<Freight>(predicate: #Predicate { $0.label == "é" })) == 3
    )
    #expect(
      try fresh.fetchCount(FetchDescriptor<Freight>(predicate: #Predicate { $0.sent == day })) == 3
    )
    try fresh.update(model: Freight.self, set: .set(\.sent, to: nil))
    try fresh.save()
    #expect(
      try fresh.fetchCount(FetchDescriptor<Freight>(predicate: #Predicate { $0.sent != nil })) == 0
    )
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `updates unique values`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    try context.update(model: Freight.self, set: .set(\.code, to: #Expression { $0.code + 100 }))
    try context.save()
    let parcels = try ModelContext(container)
      .fetch(FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.code)]))
    #expect(parcels.map(\.code) == Array(100..<114))
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is refused if a number overflows, and changes nothing`(store: EveryStore) throws {
    let container = try filled(store)
    let context = ModelContext(container)
    var error: DataStoreError?
    do {
      try context.update(
        model: Freight.self,
        set: .set(\.stops, to: #Expression { $0.stops + 120 }),
        .set(\.weight, to: 0)
      )
      try context.save()
    } catch let thrown as DataStoreError {
      error = thrown
    }
    #expect(error == .invalidValue)
    #expect(error?.entity == "Freight")
    context.rollback()
    try context.save()
    #expect(try weights(container) == Array(0..<14))
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `posts notifications, and other contexts see it at their next fetch`(
    store: EveryStore
  ) throws {
    let container = try filled(store)
    let watching = ModelContext(container)
    let parcels = try watching.fetch(FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.code)]))
    let counts = SavedCounts()
    let context = ModelContext(container)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { counts.note($0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.delete(model: Freight.self, where: #Predicate { $0.weight > 9 })
    try context.save()
    #expect(counts.deleted == 4)
    try context.update(
      model: Freight.self,
      where: #Predicate { $0.weight > 7 },
      set: .set(\.label, to: "heavy")
    )
    try context.save()
    #expect(counts.updated == 2)
    _ = try watching.fetch(FetchDescriptor<Freight>())
    #expect(parcels.map(\.isDeleted).filter(\.self).count == 4)
    #expect(parcels[8].label == "heavy")
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `with an unknown outcome is applied once`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    for number in 0..<4 { fixture.context.insert(Consignment("\(number)", weight: number)) }
    try fixture.context.save()
    fixture.context.reset()
    try fixture.context.update(
      model: Consignment.self,
      set: .set(\.weight, to: #Expression { $0.weight + 1 })
    )
    fixture.saveWithUnknownOutcome(fate)
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["0 1 -", "1 2 -", "2 3 -", "3 4 -"])
  }
}

/// The numbers of objects in the last notification of a save.
private final class SavedCounts: @unchecked Sendable {
  // Unchecked: notifications are posted on the thread that saves.
  private(set) var updated = 0
  private(set) var deleted = 0

  func note(_ notification: Notification) {
    func count(_ key: ModelContext.NotificationKey) -> Int {
      (notification.userInfo?[key.rawValue] as? [PersistentIdentifier])?.count ?? 0
    }
    updated = count(.updatedIdentifiers)
    deleted = count(.deletedIdentifiers)
  }
}
