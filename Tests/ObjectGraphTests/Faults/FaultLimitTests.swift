import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Suite("A fault limit")
struct FaultLimitTests {
  private static func lands(_ store: EveryStore) throws -> (ContainerFixture, ModelContext, [Land])
  {
    let fixture = try ContainerFixture(
      store,
      for: Land.self,
      Republic.self,
      Borough.self,
      Dweller.self,
      Landmark.self
    )
    let container = try fixture.open()
    let context = ModelContext(container)
    for name in ["a", "b", "c", "d"] {
      let land = Land(name)
      land.towns = [Borough(name)]
      context.insert(land)
    }
    try context.save()
    let fresh = ModelContext(container)
    // The lands are fetched one by one, so that nothing is loaded together.
    let lands = try ["a", "b", "c", "d"].map { name in
      let named = FetchDescriptor<Land>(predicate: #Predicate { $0.name == name })
      return try #require(try fresh.fetch(named).first)
    }
    return (fixture, fresh, lands)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `throws at the end of its scope, and names properties and queries`(
    store: EveryStore
  ) throws {
    let (fixture, context, lands) = try Self.lands(store)
    defer { withExtendedLifetime(fixture) {} }
    let error = try #require(throws: FaultLimitExceeded.self) {
      try context.withFaultLimit(3) {
        for land in lands { #expect(land.towns.count == 1) }
        _ = lands[0].friends.isEmpty
      }
    }
    #expect(error.limit == 3)
    #expect(error.queries == 5)
    #expect(error.touches.map(\.property) == ["towns", "friends"])
    #expect(error.touches.map(\.entity) == ["Land", "Land"])
    #expect(error.touches.map(\.queries) == [4, 1])
    #expect(error.description.contains("Land.towns: 4 queries"))
    #expect(error.scope?.hasPrefix("ObjectGraphTests/FaultLimitTests.swift:") == true)
    #expect(error.description.hasPrefix(error.scope ?? "-"))
    #expect(error.touches.allSatisfy { $0.callStack.count > 3 })
    // The relationships are loaded, and the scope has ended.
    #expect(try context.withFaultLimit(0) { lands.map(\.towns.count) } == [1, 1, 1, 1])
    try context.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `allows what stays within it`(store: EveryStore) throws {
    let (fixture, context, _) = try Self.lands(store)
    defer { withExtendedLifetime(fixture) {} }
    context.evictUnused()
    let lands = try context.fetch(FetchDescriptor<Land>())
    let count = try context.withFaultLimit(1) { lands.reduce(0) { $0 + $1.towns.count } }
    #expect(count == 4)
    #expect(context.faultCount == 1)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of a context throws at the next fetch or save, and starts again`(
    store: EveryStore
  ) throws {
    let (fixture, context, lands) = try Self.lands(store)
    defer { withExtendedLifetime(fixture) {} }
    context.faultLimit = 0
    #expect(context.faultLimit?.queries == 0)
    #expect(lands[0].towns.count == 1)
    #expect(throws: FaultLimitExceeded.self) { try context.fetchCount(FetchDescriptor<Land>()) }
    #expect(try context.fetchCount(FetchDescriptor<Land>()) == 4)
    #expect(lands[1].towns.count == 1)
    lands[1].name = "e"
    #expect(throws: FaultLimitExceeded.self) { try context.save() }
    #expect(context.hasChanges)
    try context.save()
    #expect(lands[2].towns.count == 1)
    context.faultLimit = nil
    try context.save()
    #expect(context.faultCount == 3)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `reports each property once`(store: EveryStore) throws {
    let (fixture, context, lands) = try Self.lands(store)
    defer { withExtendedLifetime(fixture) {} }
    let reports = Mutex<[FaultLimitExceeded]>([])
    context.faultLimit = FaultLimit(0, .report { report in reports.withLock { $0.append(report) } })
    for land in lands { #expect(land.towns.count == 1) }
    #expect(lands[3].friends.isEmpty)
    let found = reports.withLock { $0 }
    #expect(found.map(\.queries) == [1, 5])
    #expect(found.flatMap(\.touches).map(\.property) == ["towns", "friends"])
    try context.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `counts queries for enclosing scopes, even if an inner scope throws`(
    store: EveryStore
  ) throws {
    let (fixture, context, lands) = try Self.lands(store)
    defer { withExtendedLifetime(fixture) {} }
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try context.withFaultLimit(0) {
        _ = lands[0].towns
        throw Stop()
      }
    }
    let error = try #require(throws: FaultLimitExceeded.self) {
      try context.withFaultLimit(1) {
        try context.withFaultLimit(1) { _ = lands[1].towns }
        try context.withFaultLimit(1) { _ = lands[2].towns }
      }
    }
    #expect(error.limit == 1)
    #expect(error.queries == 2)
    #expect(throws: FaultLimitExceeded.self) {
      try context.withFaultLimit(0) {
        _ = lands[3].towns
        _ = try context.fetch(FetchDescriptor<Land>())
        Issue.record("the fetch should have thrown")
      }
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `includes counts and values, but not prefetched objects`(
    store: EveryStore
  ) throws {
    let fixture = try WatchedFixture(
      store,
      leavesOut: true,
      for: Canvas.self,
      Fresco.self,
      Gallery.self
    )
    let context = fixture.context()
    let gallery = Gallery("g")
    gallery.canvases = [Canvas("a")]
    context.insert(gallery)
    try context.save()
    let fresh = fixture.context()
    var galleries = FetchDescriptor<Gallery>()
    galleries.relationshipKeyPathsForPrefetching = [\.canvases]
    let canvas = try fresh.withFaultLimit(0) {
      try fresh.fetch(galleries).first?.canvases.first
    }
    let error = try #require(throws: FaultLimitExceeded.self) {
      try fresh.withFaultLimit(0) { _ = canvas?.pixels }
    }
    #expect(error.touches.map(\.property) == ["pixels"])
    let other = fixture.context()
    let counted = try #require(throws: FaultLimitExceeded.self) {
      try other.withFaultLimit(0) { try other.all(Gallery.self).first?.count(of: \.canvases) }
    }
    #expect(counted.touches.map(\.property) == ["canvases"])
  }

  @Test func `can be an integer literal`() {
    let limit: FaultLimit = 4
    #expect(limit.queries == 4)
    if case .throw = limit.response { return }
    Issue.record("a limit from a literal must throw")
  }
}
