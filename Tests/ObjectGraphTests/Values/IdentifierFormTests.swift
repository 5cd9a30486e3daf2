import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// The forms in which predicates contain identifiers, of the store and of another one whose objects
/// have the same keys.
@Suite("Forms of identifiers in predicates") struct IdentifierFormTests {
  private static let stores = EveryStore.migrating + [.memory, .textKeys]

  private struct Fixture {
    private let stores: ContainerFixtures
    let here: ModelContext
    let own: PersistentIdentifier
    let foreign: PersistentIdentifier

    init(_ store: EveryStore) throws {
      let stores = ContainerFixtures()
      self.stores = stores
      let containers = try (0..<2).map { _ in
        try stores.open(store, for: Mailing.self, PostStamp.self)
      }
      var contexts: [ModelContext] = []
      for container in containers {
        let context = ModelContext(container)
        for number in 0..<3 {
          let parcel = Mailing(number)
          context.insert(parcel)
          let stamp = PostStamp(number)
          context.insert(stamp)
          stamp.parcel = parcel
        }
        try context.save()
        contexts.append(context)
      }
      here = contexts[1]
      own = try here.all(Mailing.self)[1].persistentModelID
      foreign = try contexts[0].all(Mailing.self)[1].persistentModelID
      try #require(own.key == foreign.key && own != foreign)
    }

    func expect(_ predicate: Predicate<Mailing>, _ numbers: [Int], _ form: Comment) throws {
      let order = [SortDescriptor(\Mailing.number)]
      let found = try here.fetch(FetchDescriptor(predicate: predicate, sortBy: order))
      #expect(found.map(\.number) == numbers, form)
      let all = try here.fetch(FetchDescriptor(sortBy: order))
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.number) == numbers, form)
    }

    func check(_ id: PersistentIdentifier, _ one: [Int]) throws {
      let ids = [id]
      let none: [PersistentIdentifier] = []
      let maybe: PersistentIdentifier? = id
      let set: Set<PersistentIdentifier> = [id]
      let isKnown = true
      let rest = [0, 1, 2].filter { !one.contains($0) }
      try expect(#Predicate { ids[0] == $0.persistentModelID }, one, "subscript")
      try expect(
        #Predicate { parcel in
          if let some = maybe { some == parcel.persistentModelID } else { false }
        },
        one,
        "if let"
      )
      try expect(
        #Predicate { parcel in maybe.flatMap { $0 == parcel.persistentModelID } ?? false },
        one,
        "flatMap"
      )
      try expect(
        #Predicate { (isKnown ? id : ids[0]) == $0.persistentModelID },
        one,
        "conditional"
      )
      try expect(#Predicate { (maybe ?? ids[0]) == $0.persistentModelID }, one, "coalescing")
      try expect(#Predicate { set.contains($0.persistentModelID) }, one, "set")
      try expect(
        #Predicate { parcel in ids.contains { parcel.persistentModelID == $0 } },
        one,
        "closure"
      )
      try expect(
        #Predicate { parcel in ids.filter { $0 == parcel.persistentModelID }.count == 1 },
        one,
        "filter"
      )
      try expect(
        #Predicate { parcel in ids.allSatisfy { $0 != parcel.persistentModelID } },
        rest,
        "all"
      )
      try expect(
        #Predicate { parcel in parcel.stamps.contains { $0.parcel?.persistentModelID == maybe } },
        one,
        "related"
      )
      try expect(#Predicate { none.contains($0.persistentModelID) }, [], "none")
    }
  }

  @Test(arguments: stores)
  func `find the object of an identifier, and none for that of another store`(
    _ store: EveryStore
  ) throws {
    let fixture = try Fixture(store)
    try fixture.check(fixture.own, [1])
    try fixture.check(fixture.foreign, [])
    // Over unsaved objects.
    for parcel in try fixture.here.all(Mailing.self) { parcel.note = "x" }
    try fixture.check(fixture.own, [1])
    try fixture.check(fixture.foreign, [])
  }

  @Test(arguments: stores)
  func `update and delete nothing in bulk`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    let context = ModelContext(fixture.here.container)
    let ids = [fixture.foreign]
    let maybe: PersistentIdentifier? = fixture.foreign
    try context.delete(
      model: Mailing.self,
      where: #Predicate { ids[0] == $0.persistentModelID }
    )
    try context.save()
    try context.delete(
      model: Mailing.self,
      where: #Predicate { parcel in
        if let some = maybe { some == parcel.persistentModelID } else { false }
      }
    )
    try context.save()
    #expect(try ModelContext(context.container).all(Mailing.self).count == 3)
  }

  @Test(arguments: stores)
  func `are not taken for those of the store by other calls`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    let context = fixture.here
    let (own, foreign) = (fixture.own, fixture.foreign)
    let registered: Mailing? = context.registeredModel(for: foreign)
    #expect(registered == nil)
    var snapshot = try #require(try context.fetchSnapshot(of: Mailing.self, for: own))
    #expect(snapshot.number == 1)
    #expect(try context.fetchSnapshot(of: Mailing.self, for: foreign) == nil)
    #expect(context.model(for: foreign).persistentModelID != own)
    context.rollback()
    snapshot.persistentModelID = foreign
    snapshot.note = "changed"
    _ = try? context.upsert(snapshot)
    try? context.save()
    context.rollback()
    let fresh = ModelContext(context.container)
    #expect(try #require(fresh.model(for: own) as? Mailing).note == "")
    if store == .textKeys { return }
    let history = try fresh.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == foreign } }
      )
    )
    #expect(history.isEmpty)
  }
}

@Model
private final class Mailing {
  var number: Int
  var note = ""
  @Relationship(inverse: \PostStamp.parcel) var stamps: [PostStamp] = []

  init(_ number: Int) { self.number = number }
}

@Model
private final class PostStamp {
  var number: Int
  var parcel: Mailing?

  init(_ number: Int) { self.number = number }
}
