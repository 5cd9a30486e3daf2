// snippet.a-store-for-each-test
import StoreTesting
import Testing

@Test(arguments: ["memory:", "sqlite:voyages.db", "json:voyages.json"])
func `a voyage is found by its name`(store: String) throws {
  let container = try ModelContainer.ephemeral(for: Voyage.self, store: store)
  let context = ModelContext(container)
  context.insert(Voyage(name: "North", departure: .now))
  try context.save()
  let north = FetchDescriptor<Voyage>(predicate: #Predicate { $0.name == "North" })
  #expect(try ModelContext(container).fetchCount(north) == 1)
}
// snippet.end

// snippet.ephemeral-store
@Test(.ephemeralStore(for: Voyage.self)) func `a new store has no voyages`() throws {
  let context = ModelContext(try .ofTest)
  #expect(try context.fetchCount(FetchDescriptor<Voyage>()) == 0)
}
// snippet.end

// The other snippets of Documentation/Testing.md.

@Suite("The page on testing")
struct PageTests {
  @Test func `a store can be given as a configuration`() throws {
    // snippet.ephemeral-configuration
    let container = try ModelContainer.ephemeral(for: Schema([Voyage.self])) { folder in
      JSONFileStoreConfiguration(url: folder.appending(path: "voyages.json"), durability: .none)
    }
    // snippet.end
    #expect(
      container.capabilities(for: Voyage.self)?.durability == StoreCapabilities.Durability.none
    )
  }

  @Test func `a body can have a store`() throws {
    // snippet.ephemeral-body
    try ModelContainer.withEphemeralStore(for: Schema([Voyage.self])) { container in
      let count = try ModelContext(container).fetchCount(FetchDescriptor<Voyage>())
      #expect(count == 0)
    }
    // snippet.end
  }

  @Test func `a fixture inserts objects`() throws {
    let container = try ModelContainer.ephemeral(for: schema)
    // snippet.seed
    let seeded = try container.seed(
      """
      {
        "Voyage": [{"$id": "north", "name": "North", "departure": "2026-05-01T08:30:00Z"}],
        "Sailor": [{"name": "Ada", "voyages": ["north"]}]
      }
      """
    )
    let north: PersistentIdentifier? = seeded["north"]
    // snippet.end
    #expect(north != nil)
  }

  @Test func `requests are counted`() throws {
    let container = try ModelContainer.ephemeral(for: schema)
    func report(_ container: ModelContainer) throws {
      _ = try ModelContext(container).fetch(FetchDescriptor<Voyage>())
    }
    // snippet.count
    let count = try container.count { try report(container) }
    #expect(count.requests <= 2 && count.rows <= 100, "\(count)")
    // snippet.end
  }

  @Test func `faults can be planned`() throws {
    // snippet.faults
    let faults = FaultPlan()
    let container = try ModelContainer.ephemeral(for: Sailor.self, faults: faults)
    faults.fail(.save)  // the next save is refused: notSaved
    faults.fail(.save, nth: 2, .after)  // the second one is stored, but its outcome is unknown
    faults.fail(.count, times: 3, with: DataStoreError.storeBusy)
    faults.at(.read, .after) { print("in the middle of a request") }
    // snippet.end
    let context = ModelContext(container)
    context.insert(Sailor("Ada"))
    #expect(throws: DataStoreError.notSaved) { try context.save() }
    try context.save()
    for _ in 0..<3 {
      #expect(throws: DataStoreError.storeBusy) {
        try ModelContext(container).fetchCount(FetchDescriptor<Sailor>())
      }
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Sailor>()).count == 1)
    // snippet.faults-happened
    #expect(faults.remaining == 0)  // all of it happened
    // snippet.end
  }

  @Test func `a test clock is fixed`() throws {
    // snippet.clock
    let clock = try TestClock("2026-05-01T12:00:00Z")
    let container = try ModelContainer.ephemeral(for: Sailor.self, environment: .test(clock))
    clock.advance(by: 86_400)
    // snippet.end
    let context = ModelContext(container)
    context.insert(Sailor("Ada"))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.timestamp) == [clock.now])
  }
}
