import StoreTesting
import Synchronization
import Testing

@Suite("The trait ephemeralStore")
struct EphemeralStoreTraitTests {
  /// The stores that tests of one suite have seen.
  private static let seen = Mutex<Set<String>>([])

  @Test(.ephemeralStore(for: schema), arguments: 1...1_000)
  func `1,000 parallel tests each have their own store`(_ number: Int) async throws {
    let context = ModelContext(try .ofTest)
    context.insert(Sailor("\(number)"))
    try context.save()
    await Task.yield()
    let names = try ModelContext(.ofTest).fetch(FetchDescriptor<Sailor>()).map(\.name)
    #expect(names == ["\(number)"])
    let identifier = try ModelContainer.ofTest.stores[0].identifier
    #expect(Self.seen.withLock { $0.insert(identifier).inserted })
  }

  @Test(.ephemeralStore(for: Sailor.self, Voyage.self, Stop.self, store: "sqlite:voyages.db"))
  func `a store can be given by URL`() throws {
    let container = try ModelContainer.ofTest
    #expect(container.capabilities(for: Sailor.self)?.concurrentProcesses == .native)
    #expect(try ModelContext(.ofTest).fetchCount(FetchDescriptor<Sailor>()) == 0)
  }

  @Test(.ephemeralStore(for: schema)) func `tasks of a test have its container`() async throws {
    let identifier = try ModelContainer.ofTest.stores[0].identifier
    async let child = ModelContainer.ofTest.stores[0].identifier
    let unstructured = Task { try ModelContainer.ofTest.stores[0].identifier }
    #expect(try await child == identifier)
    #expect(try await unstructured.value == identifier)
  }

  @Test func `without the trait there is no container`() {
    #expect(throws: DataStoreError.invalidConfiguration) { try ModelContainer.ofTest }
  }

  @Test func `a store that cannot be opened is an error`() async {
    let trait: EphemeralStoreTrait = .ephemeralStore(for: Sailor.self, store: "sqlite:../a.db")
    await #expect(throws: DataStoreError.invalidConfiguration) {
      try await trait.provideScope(for: #require(Test.current), testCase: nil) {
        Issue.record("the test runs")
      }
    }
  }
}

@Suite("A suite with the trait ephemeralStore", .ephemeralStore(for: schema))
struct EphemeralStoreSuiteTests {
  let context: ModelContext

  init() throws { context = ModelContext(try .ofTest) }

  @Test(arguments: ["Ada", "Bo"]) func `each test has its own store`(_ name: String) throws {
    context.insert(Sailor(name))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Sailor>()).map(\.name) == [name])
  }
}

@Suite("Ephemeral stores for other test frameworks")
struct EphemeralStoreFunctionTests {
  @Test func `a body has a container, which is released afterwards`() async throws {
    weak var released: ModelContainer?
    try ModelContainer.withEphemeralStore(for: schema, store: "json:voyages.json") { container in
      #expect(try ModelContainer.ofTest === container)
      let context = ModelContext(container)
      context.insert(Sailor("Ada"))
      try context.save()
      released = container
    }
    #expect(released == nil)
    try await ModelContainer.withEphemeralStore(for: schema, store: "json:voyages.json") {
      container in
      await Task.yield()
      let provided = try ModelContainer.ofTest
      #expect(provided === container)
      let count = try ModelContext(container).fetchCount(FetchDescriptor<Sailor>())
      #expect(count == 0)
    }
    #expect(throws: DataStoreError.invalidConfiguration) { try ModelContainer.ofTest }
  }
}
