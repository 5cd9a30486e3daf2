import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Counting a relationship")
struct CountingTests {
  private static func filled(_ store: EveryStore) throws -> WatchedFixture {
    let fixture = try WatchedFixture(
      store,
      for: Land.self,
      Republic.self,
      Borough.self,
      Dweller.self,
      Landmark.self
    )
    let context = fixture.context()
    let land = Republic("full", president: "Ada")
    land.towns = (0..<50).map { Borough("town \($0)") }
    land.friends = [Land("friend"), Land("foe")]
    land.towns[0].landmarks = [Landmark("tower")]
    land.towns[0].dwellers = [Dweller("Bo")]
    context.insert(land)
    context.insert(Land("void"))
    try context.save()
    return fixture
  }

  private static func land(_ name: String, _ context: ModelContext) throws -> Land {
    let named = FetchDescriptor<Land>(predicate: #Predicate { $0.name == name })
    return try #require(try context.fetch(named).first)
  }

  @Test(arguments: EveryStore.allCases)
  func `requests only the count`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let full = try Self.land("full", context)
    let void = try Self.land("void", context)
    fixture.expect(["count"]) { #expect(full.count(of: \.towns) == 50) }
    fixture.expect(["count"]) { #expect(!full.isEmpty(\.towns)) }
    #expect(fixture.log.queries.first?.limit == 1)
    fixture.expect(["members"]) { #expect(full.count(of: \.friends) == 2) }
    #expect(void.count(of: \.towns) == 0)
    #expect(void.isEmpty(\.towns))
    #expect(void.isEmpty(\.friends))
    #expect(context.faultCount == 6)
    #expect(full.towns.count == 50)
    fixture.expect([]) { #expect(full.count(of: \.towns) == 50) }
    let town = try #require(full.towns.first)
    #expect(town.count(of: \.dwellers) == 1)
    #expect(town.count(of: \.landmarks) == 1)
    let republic = try #require(full as? Republic)
    context.evictUnused()
    fixture.expect(["count"]) { #expect(republic.count(of: \.towns) == 50) }
  }

  /// Unsaved changes of a land's towns, which return the number of towns.
  private enum Change: CaseIterable {
    case append, child, remove, delete, move, arrive, rename, mixed, deleteNew, replaceAll

    func make(_ full: Land, _ void: Land, _ towns: [Borough], in context: ModelContext) -> Int {
      switch self {
      case .append: full.towns.append(Borough("new"))
      case .child: context.insert(Borough("new", in: full))
      case .remove: towns[3].land = nil
      case .delete: context.delete(towns[4])
      case .move: towns[5].land = void
      case .arrive:
        let other = Borough("other", in: void)
        context.insert(other)
        other.land = full
      case .rename: towns[6].name = "renamed"
      case .mixed:
        towns[7].land = void
        towns[7].land = full
        context.delete(towns[8])
        context.insert(Borough("new", in: full))
        context.insert(Borough("newer", in: full))
      case .deleteNew:
        let other = Borough("other", in: full)
        context.insert(other)
        context.delete(other)
      case .replaceAll: full.towns = [towns[1]]
      }
      return switch self {
      case .append, .child, .arrive, .mixed: 51
      case .remove, .delete, .move: 49
      case .rename, .deleteNew: 50
      case .replaceAll: 1
      }
    }
  }

  @Test(arguments: EveryStore.allCases, Change.allCases)
  private func `includes unsaved changes`(store: EveryStore, change: Change) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let full = try Self.land("full", context)
    let void = try Self.land("void", context)
    let towns = try context.fetch(FetchDescriptor<Borough>(sortBy: [SortDescriptor(\.name)]))
    let expected = change.make(full, void, towns, in: context)
    #expect(full.count(of: \.towns) == expected)
    #expect(full.isEmpty(\.towns) == (expected == 0))
    #expect(full.towns.count == expected)
    #expect(full.count(of: \.towns) == expected)
    #expect(void.count(of: \.towns) == void.towns.count)
    try context.save()
    #expect(full.count(of: \.towns) == expected)
    #expect(try Self.land("full", fixture.context()).count(of: \.towns) == expected)
  }

  @Test(arguments: EveryStore.allCases)
  func `loads no objects, even with unsaved changes`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let full = try Self.land("full", context)
    let one = FetchDescriptor<Borough>(predicate: #Predicate { $0.name == "town 4" })
    let town = try #require(try context.fetch(one).first)
    context.delete(town)
    context.insert(Borough("new", in: full))
    context.insert(Borough("newer", in: full))
    context.processPendingChanges()
    fixture.expect(["count"]) { #expect(full.count(of: \.towns) == 51) }
    fixture.expect([]) { #expect(!full.isEmpty(\.towns)) }
  }

  @Test(arguments: EveryStore.allCases)
  func `excludes deleted objects of many-to-many relationships`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let full = try Self.land("full", context)
    context.delete(try Self.land("foe", context))
    #expect(full.count(of: \.friends) == 1)
    #expect(!full.isEmpty(\.friends))
    let town = try #require(try context.all(Borough.self).first)
    context.delete(try #require(try context.all(Landmark.self).first))
    #expect(town.count(of: \.landmarks) == 0)
    #expect(town.isEmpty(\.landmarks))
  }

  @Test(arguments: EveryStore.allCases)
  func `works in every state of an object`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let land = Land("new")
    land.towns = [Borough("a"), Borough("b")]
    #expect(land.count(of: \.towns) == 2)
    context.insert(land)
    #expect(land.count(of: \.towns) == 2)
    try context.save()
    #expect(land.count(of: \.towns) == 2)
    context.delete(land)
    try context.save()
    #expect(land.count(of: \.towns) == 0)
    let orphan = try Self.land("full", fixture.context())
    #expect(orphan.count(of: \.towns) == 50)
    #expect(!orphan.isEmpty(\.friends))
  }

  @Test(arguments: EveryStore.allCases)
  func `returns 0 if the store fails, and the next save throws`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let full = try Self.land("full", context)
    fixture.log.fail(with: DataStoreError(.storeBusy, "a test says so"))
    #expect(full.count(of: \.towns) == 0)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(full.count(of: \.towns) == 50)
    try context.save()
  }
}
