import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Identifiers that no object has")
struct ForeignIdentifierTests {
  /// Two stores whose objects have the same keys.
  private struct Fixture {
    private let stores: ContainerFixtures
    /// The context of the first store, whose crates are 0, 1 and 2.
    let there: ModelContext
    /// The context of the second store, whose crates are 100, 101 and 102, each with a label.
    let here: ModelContext
    /// The identifiers of the first store's crates.
    let foreign: [PersistentIdentifier]

    init(_ store: EveryStore, keepsObjects: Bool = true) throws {
      let stores = ContainerFixtures()
      self.stores = stores
      let containers = try (0..<2).map { _ in
        try stores.open(store, for: Crate.self, Label.self)
      }
      there = ModelContext(containers[0])
      let filling = ModelContext(containers[1])
      for number in 0..<3 {
        there.insert(Crate(number))
        let crate = Crate(100 + number)
        filling.insert(crate)
        let label = Label(200 + number)
        filling.insert(label)
        label.crate = crate
      }
      try there.save()
      try filling.save()
      foreign = try there.all(Crate.self).map(\.persistentModelID)
      here = keepsObjects ? filling : ModelContext(containers[1])
      #expect(Set(foreign.map(\.key)) == Set(try here.all(Crate.self).map(\.persistentModelID.key)))
    }

    func crates(_ predicate: Predicate<Crate>) throws -> [Int] {
      let order = [SortDescriptor(\Crate.number)]
      return try here.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.number)
    }

    func labels(_ predicate: Predicate<Label>) throws -> [Int] {
      let order = [SortDescriptor(\Label.number)]
      return try here.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.number)
    }

    /// Checks all conditions on an identifier that no crate here has.
    func checkMatchesNothing(_ id: PersistentIdentifier) throws {
      let ids = [id]
      let more: [PersistentIdentifier?] = [id, nil]
      let none: PersistentIdentifier? = id
      #expect(try crates(#Predicate { $0.persistentModelID == id }) == [])
      #expect(try crates(#Predicate { id == $0.id }) == [])
      #expect(try crates(#Predicate { $0.persistentModelID != id }) == [100, 101, 102])
      #expect(try crates(#Predicate { ids.contains($0.persistentModelID) }) == [])
      #expect(try crates(#Predicate { !ids.contains($0.id) && $0.number > 100 }) == [101, 102])
      #expect(try crates(Crate.where(\.persistentModelID, .equals(id))) == [])
      #expect(try crates(Crate.where(\.persistentModelID, .isIn([id]))) == [])
      #expect(try labels(#Predicate { $0.crate?.persistentModelID == id }) == [])
      #expect(try labels(#Predicate { $0.crate?.persistentModelID == none }) == [])
      #expect(
        try labels(#Predicate { more.contains($0.crate.flatMap { $0.persistentModelID }) }) == []
      )
      #expect(try labels(#Predicate { $0.crate?.persistentModelID != id }) == [200, 201, 202])
      #expect(
        try labels(#Predicate { $0.crate.flatMap { ids.contains($0.persistentModelID) } ?? false })
          == []
      )
      let isBack = #Predicate<Crate> { crate in
        crate.labels.contains { $0.crate.flatMap { $0.persistentModelID } == id }
      }
      #expect(try crates(isBack) == [])
      #expect(
        try crates(#Predicate { crate in ids.contains { $0 == crate.persistentModelID } }) == []
      )
      let named = FetchDescriptor<Crate>(predicate: #Predicate { $0.persistentModelID == id })
      #expect(try here.fetchCount(named) == 0)
      #expect(try here.fetchIdentifiers(named).isEmpty)
      let counted = try here.aggregate(
        FetchDescriptor<Crate>(),
        .count(where: #Predicate { $0.persistentModelID == id })
      )
      #expect(counted == 0)
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of another store are found by no predicate`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    try fixture.checkMatchesNothing(fixture.foreign[1])
    // With unsaved changes, predicates are evaluated over objects.
    fixture.here.insert(Label(203))
    try fixture.here.all(Crate.self)[0].number = 99
    try fixture.here.all(Crate.self)[0].number = 100
    #expect(try fixture.labels(#Predicate { $0.number > 202 }) == [203])
    fixture.here.rollback()
    try fixture.here.all(Label.self)[0].number = 200
    try fixture.checkMatchesNothing(fixture.foreign[1])
    let own = try fixture.here.all(Crate.self)[1].persistentModelID
    let both = [fixture.foreign[0], own, fixture.foreign[2]]
    #expect(try fixture.crates(#Predicate { both.contains($0.persistentModelID) }) == [101])
    #expect(try fixture.crates(#Predicate { $0.persistentModelID == own }) == [101])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of another store are found by no predicate over unsaved objects`(
    _ store: EveryStore
  ) throws {
    let fixture = try Fixture(store)
    let crate = try fixture.here.all(Crate.self)[1]
    crate.number = 7
    for label in crate.labels { label.number += 1000 }
    fixture.here.insert(Crate(8))
    let id = fixture.foreign[1]
    #expect(try fixture.crates(#Predicate { $0.persistentModelID == id }) == [])
    let ids = fixture.foreign
    #expect(try fixture.crates(#Predicate { ids.contains($0.persistentModelID) }) == [])
    #expect(try fixture.crates(#Predicate { $0.persistentModelID != id }) == [7, 8, 100, 102])
    #expect(try fixture.labels(#Predicate { $0.crate?.persistentModelID == id }) == [])
    let own = crate.persistentModelID
    #expect(try fixture.crates(#Predicate { $0.persistentModelID == own }) == [7])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of another model, or of an unsaved object, are found by no predicate`(
    _ store: EveryStore
  ) throws {
    let fixture = try Fixture(store)
    try fixture.checkMatchesNothing(fixture.here.all(Label.self)[0].persistentModelID)
    try fixture.checkMatchesNothing(Crate(1).persistentModelID)
    try fixture.checkMatchesNothing(fixture.there.all(Crate.self)[0].persistentModelID)
    let unknown = try PersistentIdentifier.identifier(
      for: try #require(fixture.foreign[0].storeIdentifier),
      entityName: "Nothing",
      primaryKey: 1
    )
    try fixture.checkMatchesNothing(unknown)
  }

  @Test(arguments: EveryStore.withTextKeys, [true, false])
  func `of another store delete and change nothing in bulk`(
    _ store: EveryStore,
    keepsObjects: Bool
  ) throws {
    let fixture = try Fixture(store, keepsObjects: keepsObjects)
    let (here, id, ids) = (fixture.here, fixture.foreign[1], fixture.foreign)
    try here.delete(model: Crate.self, where: #Predicate { $0.persistentModelID == id })
    try here.save()
    try here.delete(model: Crate.self, where: #Predicate { ids.contains($0.persistentModelID) })
    try here.save()
    try here.delete(model: Label.self, where: #Predicate { $0.crate?.persistentModelID == id })
    try here.save()
    let count = try here.update(
      model: Crate.self,
      where: #Predicate { $0.persistentModelID == id },
      set: .set(\.number, to: 0)
    )
    #expect(count == 0)
    try here.save()
    try here.update(
      model: Crate.self,
      set: .set(\.number, to: #Expression { $0.persistentModelID == id ? 0 : $0.number })
    )
    try here.save()
    let context = ModelContext(here.container)
    #expect(try context.all(Crate.self).map(\.number) == [100, 101, 102])
    #expect(try context.all(Label.self).map(\.crate?.number) == [100, 101, 102])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of another store are ordered by their keys, as in Swift`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    let id = fixture.foreign[1]
    let crates = try fixture.here.all(Crate.self)
    #expect(
      try fixture.crates(#Predicate { $0.persistentModelID < id })
        == crates.filter { $0.persistentModelID < id }.map(\.number)
    )
    #expect(
      try fixture.crates(#Predicate { $0.persistentModelID >= id })
        == crates.filter { $0.persistentModelID >= id }.map(\.number)
    )
  }
}

@Model
private final class Crate {
  var number: Int
  @Relationship(inverse: \Label.crate) var labels: [Label] = []

  init(_ number: Int) { self.number = number }
}

@Model
private final class Label {
  var number: Int
  var crate: Crate?

  init(_ number: Int) { self.number = number }
}
