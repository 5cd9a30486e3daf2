import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Attributes of identifiers")
struct IdentifierAttributeTests {
  /// Bookmarks a to d: b refers to a, c to an object of another store with the key of a.
  private struct Fixture {
    private let stores: ContainerFixtures
    let context: ModelContext
    let id: PersistentIdentifier
    let foreign: PersistentIdentifier

    init(_ store: EveryStore) throws {
      let stores = ContainerFixtures()
      self.stores = stores
      let containers = try (0..<2).map { _ in try stores.open(store, for: Bookmark.self) }
      let contexts = containers.map { ModelContext($0) }
      for context in contexts {
        for title in ["a", "b", "c", "d"] { context.insert(try Bookmark(title)) }
        try context.save()
      }
      let own = try contexts[0].all(Bookmark.self)
      id = own[0].persistentModelID
      foreign = try contexts[1].all(Bookmark.self)[0].persistentModelID
      for (bookmark, target) in [(own[1], id), (own[2], foreign)] {
        bookmark.target = target
        bookmark.source = target
        bookmark.targets = [own[3].persistentModelID, target]
      }
      own[0].source = id
      own[3].source = own[3].persistentModelID
      try contexts[0].save()
      context = ModelContext(containers[0])
    }

    func titles(_ predicate: Predicate<Bookmark>) throws -> String {
      let order = [SortDescriptor(\Bookmark.title)]
      return try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.title)
        .joined()
    }

    /// Compares the results of a predicate with those of Swift.
    func check(_ predicate: Predicate<Bookmark>, _ expected: String) throws {
      let all = try context.all(Bookmark.self)
      let kept = try all.filter { try predicate.evaluate($0) }.map(\.title)
      #expect(kept.sorted().joined() == expected)
      #expect(try titles(predicate) == expected)
    }

    func checkAll() throws {
      let (id, foreign, ids) = (id, foreign, [id])
      let optional: PersistentIdentifier? = id
      try check(#Predicate { $0.target == id }, "b")
      try check(#Predicate { $0.target == optional }, "b")
      try check(#Predicate { $0.target == foreign }, "c")
      try check(#Predicate { $0.target != id }, "acd")
      try check(#Predicate { $0.target == nil }, "ad")
      try check(#Predicate { $0.target != nil }, "bc")
      try check(#Predicate { $0.source == id }, "ab")
      try check(#Predicate { $0.source != id }, "cd")
      try check(#Predicate { $0.source == $0.persistentModelID }, "ad")
      try check(#Predicate { $0.targets.contains(id) }, "b")
      try check(#Predicate { $0.targets.contains(foreign) }, "c")
      try check(#Predicate { $0.targets.contains { $0 == id } }, "b")
      try check(#Predicate { $0.targets.last == foreign }, "c")
      try check(#Predicate { ids.contains($0.source) }, "ab")
      try check(#Predicate { !ids.contains($0.source) }, "cd")
      try check(#Predicate { b in b.target.flatMap { ids.contains($0) } ?? false }, "b")
      let others = try context.all(Bookmark.self).dropFirst(3).map(\.persistentModelID) + [id]
      try check(#Predicate { $0.targets == others }, "b")
      #expect(try titles(Bookmark.where(\.target, .equals(id))) == "b")
      #expect(try titles(Bookmark.where(\.targets, .includes(foreign))) == "c")
      // Long lists are looked up by hash.
      let long: [PersistentIdentifier?] = Array(repeating: foreign, count: 20) + [nil]
      try check(#Predicate { long.contains($0.target) }, "acd")
      let many = Array(repeating: id, count: 20)
      try check(#Predicate { many.contains($0.source) }, "ab")
    }
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `are compared with identifiers, as in Swift`(_ store: EveryStore) throws {
    try Fixture(store).checkAll()
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `are compared over unsaved objects too`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    for bookmark in try fixture.context.all(Bookmark.self) { bookmark.title += "" }
    let id = fixture.id
    let new = try Bookmark("e")
    fixture.context.insert(new)
    new.target = id
    new.targets = [id]
    try fixture.check(#Predicate { $0.target == id }, "be")
    try fixture.check(#Predicate { $0.targets.contains(id) }, "be")
    fixture.context.delete(new)
    try fixture.checkAll()
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `change and delete in bulk what they refer to`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    let (context, id) = (fixture.context, fixture.id)
    try context.update(
      model: Bookmark.self,
      where: #Predicate { $0.target == id },
      set: .set(\.title, to: "x"),
      .set(\.source, to: fixture.foreign)
    )
    try context.save()
    #expect(try ModelContext(context.container).all(Bookmark.self).map(\.title).joined() == "axcd")
    let foreign = fixture.foreign
    try fixture.check(#Predicate { $0.source == foreign }, "cx")
    try context.delete(model: Bookmark.self, where: #Predicate { $0.target == id })
    try context.save()
    #expect(try ModelContext(context.container).all(Bookmark.self).map(\.title).joined() == "acd")
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `are selected, grouped and assigned`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    let (context, id, foreign) = (fixture.context, fixture.id, fixture.foreign)
    let all = FetchDescriptor<Bookmark>(sortBy: [SortDescriptor(\.title)])
    let targets = try context.fetch(all, select: \.target)
    #expect(targets == [nil, id, foreign, nil])
    let sources = try context.fetch(all, select: \.source)
    #expect(sources.prefix(3) == [id, id, foreign])
    let distinct = try context.fetchDistinct(FetchDescriptor<Bookmark>(), \.target)
    #expect(Set(distinct) == [nil, id, foreign])
    try context.update(
      model: Bookmark.self,
      set: .set(\.other, to: #Expression<Bookmark, PersistentIdentifier?> { $0.target })
    )
    try context.save()
    let stored = try ModelContext(context.container).fetch(all)
    #expect(stored.map(\.other) == [nil, id, foreign, nil])
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `have no order`(_ store: EveryStore) throws {
    let fixture = try Fixture(store)
    let id = fixture.id
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try fixture.titles(#Predicate { $0.source < id })
    }
    for order in [SortDescriptor(\Bookmark.source), SortDescriptor(\Bookmark.target)] {
      #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
        try fixture.context.fetch(FetchDescriptor(sortBy: [order]))
      }
    }
    let byID = FetchDescriptor<Bookmark>(sortBy: [SortDescriptor(\.persistentModelID)])
    #expect(try fixture.context.fetch(byID).map(\.title) == ["a", "b", "c", "d"])
  }
}

@Model
private final class Bookmark {
  var title: String
  var target: PersistentIdentifier?
  var source: PersistentIdentifier
  var targets: [PersistentIdentifier] = []
  var other: PersistentIdentifier?

  init(_ title: String) throws {
    self.title = title
    source = try .identifier(for: "elsewhere", entityName: "Bookmark", primaryKey: "none")
  }
}
