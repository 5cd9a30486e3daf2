import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Prefetched relationships")
struct PrefetchTests {
  /// Creates 2,500 towns with a dweller each, in a land and a republic.
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
    let lands = [Land("one"), Republic("two", president: "Ada")]
    let landmark = Landmark("tower")
    for number in 0..<2_500 {
      let town = Borough("town \(number)", in: lands[number % 2])
      town.dwellers = [Dweller("dweller \(number)")]
      town.landmarks = [landmark]
      context.insert(town)
    }
    lands[0].friends = [lands[1]]
    try context.save()
    return fixture
  }

  private static var towns: FetchDescriptor<Borough> {
    var descriptor = FetchDescriptor<Borough>()
    descriptor.relationshipKeyPathsForPrefetching = [\.land, \.dwellers, \.landmarks]
    return descriptor
  }

  @Test(arguments: EveryStore.allCases, [true, false])
  func `contain the right objects in any order of their owners`(
    _ store: EveryStore,
    _ isPrefetched: Bool
  ) throws {
    let fixture = try WatchedFixture(
      store,
      for: Borough.self,
      Land.self,
      Dweller.self,
      Landmark.self
    )
    var random = SeededGenerator(seed: 5)
    let context = fixture.context()
    let land = Land("one")
    var expected: [String: [String]] = [:]
    for number in (0..<300).shuffled(using: &random) {
      let town = Borough("town \(number)", in: land)
      context.insert(town)
      let dwellers = (0..<number % 5).map { Dweller("dweller \($0) of \(number)") }
      // The order of the list differs from that of the keys.
      for dweller in dwellers { context.insert(dweller) }
      town.dwellers = dwellers.shuffled(using: &random)
      expected[town.name] = town.dwellers?.map(\.name)
    }
    try context.save()

    let reader = fixture.context()
    // Some related objects are registered before their owners.
    var some = FetchDescriptor<Dweller>(sortBy: [SortDescriptor(\.name)])
    some.fetchLimit = 100
    let registered = try reader.fetch(some)
    var towns = FetchDescriptor<Borough>(sortBy: [SortDescriptor(\.name)])
    if isPrefetched { towns.relationshipKeyPathsForPrefetching = [\.dwellers] }
    let found = try reader.fetch(towns)
    #expect(found.count == 300)
    for town in found {
      #expect(town.dwellers?.map(\.name) == expected[town.name])
      #expect(town.dwellers?.allSatisfy { $0.home === town } == true)
    }
    #expect(registered.allSatisfy { $0.home?.dwellers?.contains($0) == true })
  }

  private static func check(_ towns: [Borough], _ fixture: WatchedFixture) {
    let calls = fixture.calls {
      for town in towns {
        #expect(town.land != nil)
        #expect(town.dwellers?.count == 1)
        #expect(town.landmarks.count == 1)
      }
    }
    #expect(calls.isEmpty)
  }

  @Test(arguments: EveryStore.allCases)
  func `need one query if to-one, two if to-many, whatever the number`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    var towns: [Borough] = []
    let calls = try fixture.calls { towns = try context.fetch(Self.towns) }
    #expect(calls == ["read", "read", "members", "read", "members", "read"])
    #expect(towns.count == 2_500)
    Self.check(towns, fixture)
    #expect(context.faultCount == 0)
  }

  @Test(arguments: EveryStore.allCases)
  func `are loaded for objects of several models at once`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    var descriptor = FetchDescriptor<Land>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.towns, \.friends]
    var lands: [Land] = []
    let calls = try fixture.calls { lands = try context.fetch(descriptor) }
    #expect(calls == ["read", "members", "read", "members"])
    let later = fixture.calls {
      #expect(lands.map(\.towns.count) == [1_250, 1_250])
      #expect(lands.map(\.friends.count) == [1, 0])
      #expect(lands[0].friends.first is Republic)
    }
    #expect(later.isEmpty)
  }

  @Test(arguments: EveryStore.allCases)
  func `are loaded for a fetch with unsaved changes`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    context.insert(Borough("unsaved", in: try context.all(Land.self).first))
    let merged = try context.fetch(Self.towns)
    #expect(merged.count == 2_501)
    Self.check(merged.filter { $0.name != "unsaved" }, fixture)
    var live = Self.towns
    live.predicate = #Predicate { $0.land?.name == "one" }
    let found = try context.fetch(live)
    #expect(found.count == 1_251)
    Self.check(found.filter { $0.name != "unsaved" }, fixture)
  }

  @Test(arguments: EveryStore.allCases)
  func `are loaded for each batch of a fetch in batches`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let towns = try context.fetch(Self.towns, batchSize: 500)
    _ = towns[0]
    Self.check(Array(towns.prefix(500)), fixture)
    var count = 0
    let fresh = fixture.context()
    fixture.log.clear()
    try fresh.enumerate(Self.towns, batchSize: 1_000) { town in
      if town.land != nil, town.dwellers?.count == 1, town.landmarks.count == 1 { count += 1 }
    }
    #expect(count == 2_500)
    #expect(fresh.faultCount == 0)
    #expect(fixture.log.calls.filter { $0 == "members" }.count == 6)
    // Rows are read one by one, because a list of all identifiers would grow with them.
    #expect(!fixture.log.calls.contains("identifiers"))
    #expect(fixture.log.queries.first?.properties == [])
  }

  @Test(arguments: EveryStore.allCases)
  func `cannot be attributes`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    var descriptor = FetchDescriptor<Borough>()
    descriptor.relationshipKeyPathsForPrefetching = [\.name]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try fixture.context().fetch(descriptor) }
  }
}
