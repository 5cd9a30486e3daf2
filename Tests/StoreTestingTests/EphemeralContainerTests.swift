import StoreTesting
import Testing

@Model
class Voyage {
  var name: String
  var departure: Date
  var price: Decimal?
  var distance = 100
  @Relationship(deleteRule: .cascade, inverse: \Stop.voyage) var stops: [Stop] = []
  @Relationship(inverse: \Sailor.voyages) var crew: [Sailor] = []

  init(name: String, departure: Date) {
    self.name = name
    self.departure = departure
  }
}

@Model
final class Race: Voyage {
  var prize: String

  init(name: String, departure: Date, prize: String) {
    self.prize = prize
    super.init(name: name, departure: departure)
  }
}

@Model
final class Stop {
  /// The purpose of a stop.
  enum Purpose: String, Codable { case rest, repair }

  struct Berth: Codable, Hashable {
    var pier: Int
    var side: String
  }

  var harbour: String
  var purpose: Purpose
  var berth: Berth?
  var voyage: Voyage

  init(_ harbour: String, purpose: Purpose = .rest, voyage: Voyage) {
    self.harbour = harbour
    self.purpose = purpose
    self.voyage = voyage
  }
}

@Model
final class Sailor {
  var name: String
  var voyages: [Voyage] = []

  init(_ name: String) { self.name = name }
}

let schema = Schema([Voyage.self, Race.self, Stop.self, Sailor.self])
let kinds = ["memory:", "sqlite::memory:", "sqlite:voyages.db", "json:voyages.json"]

@Suite struct EphemeralContainerTests {
  @Test(arguments: kinds)
  func `containers of one test share no data`(_ kind: String) throws {
    let first = try ModelContainer.ephemeral(for: schema, store: kind)
    let second = try ModelContainer.ephemeral(for: schema, store: kind)
    let context = ModelContext(first)
    context.insert(Sailor("Ada"))
    try context.save()
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Sailor>()) == 1)
    #expect(try ModelContext(second).fetchCount(FetchDescriptor<Sailor>()) == 0)
    #expect(first.stores[0].identifier != second.stores[0].identifier)
  }

  @Test func `concurrent tasks each have their own store`() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...8 {
        group.addTask {
          let kind = kinds[number % kinds.count]
          let container = try ModelContainer.ephemeral(for: schema, store: kind)
          let context = ModelContext(container)
          for other in 0..<number { context.insert(Sailor("\(other)")) }
          try context.save()
          return try context.fetchCount(FetchDescriptor<Sailor>()) - number
        }
      }
      for try await difference in group { #expect(difference == 0) }
    }
  }

  @Test(arguments: ["sqlite:voyages.db", "json:voyages.json"])
  func `the files are deleted with the container and its contexts`(_ kind: String) throws {
    var folder: URL?
    do {
      let container = try ModelContainer.ephemeral(for: schema) { location in
        folder = location
        let text = kind.replacing(":", with: ":\(location.path(percentEncoded: false))/")
        return try StoreScheme.configuration(for: text)
      }
      let context = ModelContext(container)
      context.insert(Sailor("Ada"))
      try context.save()
      let location = try #require(folder)
      #expect(FileManager.default.fileExists(atPath: location.path(percentEncoded: false)))
    }
    let location = try #require(folder)
    #expect(!FileManager.default.fileExists(atPath: location.path(percentEncoded: false)))
  }

  @Test(arguments: [
    "json:/tmp/voyages.json", "sqlite:../voyages.db", "json:", "sqlite:", "memory:x", "tape:x",
    "voyages",
  ])
  func `a store outside the test's folder is refused`(_ text: String) throws {
    #expect(throws: DataStoreError.invalidConfiguration) {
      try ModelContainer.ephemeral(for: schema, store: text)
    }
  }

  @Test(arguments: kinds)
  func `a test can fix the time and the identifiers`(_ kind: String) throws {
    let clock = try TestClock("2026-05-01T12:00:00Z")
    let identifiers = (0..<2).map { _ in TestIdentifiers() }
    let containers = try identifiers.map {
      try ModelContainer.ephemeral(
        for: schema,
        store: kind,
        environment: .test(clock, identifiers: $0)
      )
    }
    let stores = containers.map { $0.stores[0].identifier }
    #expect(stores == ["00000000-0000-4000-8000-000000000001"] + stores.prefix(1))
    let context = ModelContext(containers[0])
    context.insert(Sailor("Ada"))
    try context.save()
    clock.advance(by: 3_600)
    context.insert(Sailor("Bo"))
    try context.save()
    let times = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map(\.timestamp.timeIntervalSince1970)
    #expect(times == [1_777_636_800, 1_777_640_400])
  }

  @Test func `a test can plan faults`() throws {
    let faults = FaultPlan()
    let container = try ModelContainer.ephemeral(for: schema, faults: faults)
    let context = ModelContext(container)
    context.insert(Sailor("Ada"))
    faults.fail(.save)
    #expect(throws: DataStoreError.notSaved) { try context.save() }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Sailor>()) == 1)
  }

  @Test func `the requests and rows of a block are counted`() async throws {
    let container = try ModelContainer.ephemeral(for: schema)
    try container.seed(
      """
      {"Voyage": [
        {"name": "A", "departure": "2026-05-01", "stops": [{"harbour": "Oslo", "purpose": "rest"}]},
        {"name": "B", "departure": "2026-05-02", "stops": [{"harbour": "Bergen", "purpose": "rest"}]}
      ]}
      """
    )
    let names = FetchDescriptor<Voyage>()
    let once = try container.count { try ModelContext(container).fetch(names).map(\.name) }
    #expect(once.requests == 1, "\(once)")
    #expect(once.rows == 2)
    let later = try await container.count {
      await Task.yield()
      return try ModelContext(container).fetchCount(names)
    }
    #expect(later.byKind == [.count: 1])
  }

  @Test func `counting on a store without counters throws an error`() throws {
    let container = try ModelContainer(for: schema, configurations: MemoryStoreConfiguration())
    #expect(throws: DataStoreError.invalidConfiguration) { try container.count {} }
  }
}
