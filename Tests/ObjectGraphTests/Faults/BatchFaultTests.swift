import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Relationships of many objects")
struct BatchFaultTests {
  /// 1,000 lands with two towns each, which have one dweller each and share ten landmarks.
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
    let landmarks = (0..<10).map { Landmark("landmark \($0)") }
    for number in 0..<1_000 {
      let land = Land("land \(number)")
      for part in ["a", "b"] {
        let town = Borough("town \(number)\(part)")
        land.towns.append(town)
        town.landmarks = [landmarks[number % 10], landmarks[(number + 1) % 10]]
        town.dwellers = [Dweller("dweller \(number)\(part)")]
      }
      context.insert(land)
    }
    try context.save()
    return fixture
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load in few queries, whatever the number of objects`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let lands = try context.fetch(FetchDescriptor<Land>(sortBy: [SortDescriptor(\.name)]))
    fixture.expect(count: 2) { for land in lands { #expect(land.towns.count == 2) } }
    #expect(context.faultCount == 1)
    let towns = lands.flatMap(\.towns)
    fixture.expect([]) { for town in towns { #expect(town.land != nil) } }
    // 2,000 towns require two pages.
    let people = fixture.calls { for town in towns { #expect(town.dwellers?.count == 1) } }
    #expect(people == ["members", "read", "members", "read"])
    let sights = fixture.calls { for town in towns { #expect(town.landmarks.count == 2) } }
    #expect(sights == ["members", "read", "members"])
    #expect(context.faultCount == 5)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load together from the other end too`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let people = try context.fetch(FetchDescriptor<Dweller>(sortBy: [SortDescriptor(\.name)]))
    let calls = fixture.calls {
      for dweller in people { #expect(dweller.home?.land?.name.hasPrefix("land ") == true) }
    }
    #expect(calls.count == 4)
    #expect(calls.count == context.faultCount)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load together in any order of access`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    var random = SeededGenerator(seed: 4)
    for _ in 0..<3 {
      let people = try fixture.context().fetch(FetchDescriptor<Dweller>()).shuffled(using: &random)
      let calls = fixture.calls { for dweller in people { #expect(dweller.home != nil) } }
      #expect(calls == ["read", "read"])
    }
    let lands = try context.fetch(FetchDescriptor<Land>()).reversed()
    fixture.expect(count: 2) { for land in lands { #expect(land.towns.count == 2) } }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load together if the program fetches other objects in between`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let lands = try context.fetch(FetchDescriptor<Land>(sortBy: [SortDescriptor(\.name)]))
    for (number, land) in lands.enumerated() {
      var one = FetchDescriptor<Land>(predicate: #Predicate { $0.name == "land 7" })
      one.fetchLimit = 1
      if number % 10 == 0 { #expect(try context.fetch(one).count == 1) }
      #expect(land.towns.count == 2)
      if number > 500 { #expect(land.friends.isEmpty) }
    }
    #expect(context.faultCount == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load together if objects are deleted in between, here and elsewhere`(
    store: EveryStore
  ) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let lands = try context.fetch(FetchDescriptor<Land>(sortBy: [SortDescriptor(\.name)]))
    let other = fixture.context()
    let gone: Set<String> = ["land 3", "land 4"]
    try other.delete(model: Land.self, where: #Predicate { gone.contains($0.name) })
    try other.save()
    context.delete(lands[0])
    try context.save()
    let before = context.faultCount
    for land in lands.dropFirst() {
      #expect(land.towns.count == (gone.contains(land.name) ? 0 : 2))
    }
    #expect(context.faultCount - before <= 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load together after an eviction and after the release of the context`(
    store: EveryStore
  ) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let lands = try context.fetch(FetchDescriptor<Land>())
    #expect(lands.allSatisfy { $0.towns.count == 2 })
    context.evictUnused()
    fixture.expect(most: 2) { for land in lands { #expect(land.towns.count == 2) } }
    let orphans = try fixture.context().fetch(FetchDescriptor<Land>())
    fixture.expect(count: 2) { for land in orphans { #expect(land.towns.count == 2) } }
    let towns = orphans.flatMap(\.towns)
    fixture.expect(most: 6) { for town in towns { #expect(town.dwellers?.count == 1) } }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `read few rows twice if the program holds them all and the context has ended`(
    store: EveryStore
  ) throws {
    let fixture = try Self.filled(store)
    let (lands, towns) = try { context in
      (try context.fetch(FetchDescriptor<Land>()), try context.fetch(FetchDescriptor<Borough>()))
    }(fixture.context())
    fixture.log.clear()
    for land in lands { #expect(land.towns.count == 2) }
    #expect(fixture.log.ownerCount < 2 * lands.count)
    for land in lands { #expect(land.towns.allSatisfy { $0.land === land }) }
    #expect(fixture.log.ownerCount < 3 * lands.count)
    withExtendedLifetime(towns) {}
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `load together if unsaved changes require a fetch of all objects`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    context.insert(Borough("new", in: nil))
    context.insert(Land("new"))
    let byTown = #Predicate<Land> { land in land.towns.contains { $0.name == "town 5a" } }
    var found: [Land] = []
    try fixture.expect(most: 4) { found = try context.fetch(FetchDescriptor(predicate: byTown)) }
    #expect(found.map(\.name) == ["land 5"])
  }
}
