import ComposableStores
import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Model
final class Atlas {
  var title: String
  @Relationship(deleteRule: .cascade, inverse: \Chart.atlas) var charts: [Chart] = []

  init(_ title: String) { self.title = title }
}

@Model
final class Chart {
  var name: String
  var scale: Int
  var atlas: Atlas?

  init(_ name: String, scale: Int = 1, atlas: Atlas? = nil) {
    self.name = name
    self.scale = scale
    self.atlas = atlas
  }
}

/// Creates a container for a configuration, and a context without autosave.
func open(
  _ configuration: any DataStoreConfiguration
) throws -> (container: ModelContainer, context: ModelContext) {
  let container = try ModelContainer(
    for: Schema([Atlas.self, Chart.self]),
    configurations: [configuration]
  )
  let context = ModelContext(container)
  context.autosaveEnabled = false
  return (container, context)
}

func names(in container: ModelContainer) throws -> [String] {
  try ModelContext(container).fetch(FetchDescriptor<Chart>()).map(\.name).sorted()
}

@Suite struct ReadOnlyStoreTests {
  @Test func `a read-only store returns existing rows and refuses every change`() throws {
    let memory = MemoryStoreConfiguration()
    let (_, writer) = try open(memory)
    writer.insert(Chart("Skagerrak"))
    try writer.save()
    let (container, context) = try open(memory.readOnly())
    #expect(try names(in: container) == ["Skagerrak"])
    context.insert(Chart("Kattegat"))
    #expect(throws: DataStoreError.storeReadOnly) { try context.save() }
    #expect(throws: DataStoreError.storeReadOnly) { try container.erase() }
    #expect(throws: DataStoreError.storeReadOnly) {
      let other = ModelContext(container)
      try other.delete(model: Chart.self)
      try other.save()
    }
    #expect(try names(in: container) == ["Skagerrak"])
  }

  @Test func `a store of another schema is refused and not migrated`() throws {
    let folder = try TemporaryFolder()
    let file = SQLiteStoreConfiguration(url: folder.file("atlas.db"))
    let made = try ModelContainer(for: Schema([Atlas.self, Chart.self]), configurations: file)
    #expect(made.stores.count == 1)
    let other = Schema(
      storeSchema: StoreSchema(
        entities: [
          StoreEntity(
            name: "Chart",
            properties: [StoreProperty(name: "name", kind: .attribute(.string))]
          )
        ]
      )
    )
    var reading = file.readOnly()
    reading.schema = other
    #expect(throws: DataStoreError.schemaMismatch) { try ReadOnlyStore<SQLiteStore>(reading) }
    reading.schema = nil
    #expect(try ReadOnlyStore<SQLiteStore>(reading).schema.storeSchema.entities.count == 2)
  }

  @Test(arguments: [false, true])
  func `rows have the property order of the reader's schema`(isJSON: Bool) throws {
    let folder = try TemporaryFolder()
    let name = StoreProperty(name: "name", kind: .attribute(.string))
    let scale = StoreProperty(name: "scale", kind: .attribute(.int64))
    func schema(_ properties: [StoreProperty]) -> Schema {
      Schema(storeSchema: StoreSchema(entities: [StoreEntity(name: "Map", properties: properties)]))
    }
    func read<Below: DataStoreConfiguration>(_ below: Below) throws -> [[StoreValue]]
    where Below.Store: RecordStore {
      do {
        var configuration = below
        configuration.schema = schema([name, scale])
        let store = try Below.Store(configuration, migrationPlan: nil)
        let record = DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(
            scope: .init(storeIdentifier: nil, entityName: "Map"),
            key: .temporary(PersistentIdentifier.nextTemporaryNumber())
          ),
          names: PropertyNames(["name", "scale"]),
          values: [.string("Kattegat"), .integer(4)]
        )
        _ = try store.apply(StoreChanges(inserted: [record]))
      }
      var reading = below.readOnly()
      reading.schema = schema([scale, name])
      var rows: [[StoreValue]] = []
      try ReadOnlyStore<Below.Store>(reading).read(StoreQuery(entity: "Map")) { reader in
        rows.append([try reader.value(at: 0), try reader.value(at: 1)])
      }
      return rows
    }
    let url = folder.file("map")
    let rows =
      try isJSON
      ? read(JSONFileStoreConfiguration(url: url)) : read(SQLiteStoreConfiguration(url: url))
    #expect(rows == [[.integer(4), .string("Kattegat")]])
  }

  @Test func `a missing store is not created`() throws {
    let folder = try TemporaryFolder()
    let file = JSONFileStoreConfiguration(url: folder.file("atlas.json"), allowsSave: false)
    #expect(throws: DataStoreError.self) { try open(file.readOnly()) }
    #expect(try !folder.names().contains("atlas.json"))
  }
}

/// A clock that advances by a second with each reading.
private final class SteppingClock: Clock, Sendable {
  typealias Duration = Swift.Duration

  struct Instant: InstantProtocol {
    typealias Duration = Swift.Duration
    var seconds: Int

    func advanced(by duration: Swift.Duration) -> Instant {
      Instant(seconds: seconds + Int(duration.components.seconds))
    }

    func duration(to other: Instant) -> Swift.Duration { .seconds(other.seconds - seconds) }

    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.seconds < rhs.seconds }
  }

  private let ticks = Mutex(0)

  var now: Instant {
    ticks.withLock { ticks in
      ticks += 1
      return Instant(seconds: ticks)
    }
  }

  var minimumResolution: Swift.Duration { .seconds(1) }

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {}
}

/// The lines that a test's logger has written.
private final class Lines: Sendable {
  private let list = Mutex<[String]>([])
  var all: [String] { list.withLock { $0 } }

  func add(_ line: String) { list.withLock { $0.append(line) } }
}

@Suite struct LoggingStoreTests {
  @Test func `each request is logged with its rows and time`() throws {
    let lines = Lines()
    let memory = MemoryStoreConfiguration()
    let (container, context) = try open(
      memory.logged(clock: SteppingClock()) { lines.add("\($0)") }
    )
    context.insert(Chart("Skagerrak"))
    try context.save()
    _ = try names(in: container)
    #expect(
      lines.all == [
        "save inserted 1: 1 rows in 1000.00 ms", "read Chart: 1 rows in 1000.00 ms",
      ]
    )
  }

  @Test func `a failed request is logged with its error`() throws {
    let lines = Lines()
    let plan = FaultPlan()
    let (_, context) = try open(
      MemoryStoreConfiguration().faulty(plan).logged(clock: SteppingClock()) { lines.add("\($0)") }
    )
    plan.fail(.save)
    context.insert(Chart("Skagerrak"))
    #expect(throws: DataStoreError.notSaved) { try context.save() }
    #expect(lines.all == ["save inserted 1: notSaved after 1000.00 ms"])
  }

  @Test func `descriptions of requests name conditions and orders, and contain no values`() throws {
    let lines = Lines()
    let (container, _) = try open(MemoryStoreConfiguration().logged { lines.add("\($0.request)") })
    let secret = "Skagerrak"
    let descriptor = FetchDescriptor<Chart>(
      predicate: #Predicate { $0.name == secret || $0.name.contains("rra") && $0.scale > 100_000 },
      sortBy: [SortDescriptor(\.scale, order: .reverse)]
    )
    _ = try ModelContext(container).fetch(descriptor)
    let condition = "$0.name == … || $0.name.contains(…) && $0.scale > …"
    #expect(lines.all == ["read Chart where \(condition) sorted by $0.scale reversed"])
  }

  @Test func `descriptions of requests name paths to related objects`() throws {
    let lines = Lines()
    let (container, _) = try open(MemoryStoreConfiguration().logged { lines.add("\($0.request)") })
    let secret = "North"
    let descriptor = FetchDescriptor<Chart>(
      predicate: #Predicate { $0.atlas?.title == secret && $0.scale > 7 },
      sortBy: [SortDescriptor(\.atlas?.title)]
    )
    _ = try ModelContext(container).fetch(descriptor)
    let condition = "$0.atlas.title == … && $0.scale > …"
    #expect(lines.all == ["read Chart where \(condition) sorted by $0.atlas.title"])
  }

  @Test func `descriptions of requests contain no word that is searched`() {
    let name = QueryExpression.property(.element(0), "name")
    let filter = QueryExpression.searches(name, TextSearch("Skagerrak"))
    let query = StoreQuery(entity: "Chart", filter: filter)
    #expect("\(StoreRequest.count(query))" == "count Chart where $0.name.contains(…)")
  }

  private let scale = QueryExpression.property(.element(0), "scale")
  private let query = StoreQuery(
    entity: "Chart",
    filter: .compare(.greater, .property(.element(0), "scale"), .constant(.integer(7)))
  )

  @Test func `descriptions of selections name keys, columns, condition and order`() {
    var limited = query
    limited.limit = 5
    let groups = StoreSelection(
      limited,
      groups: [.property(.element(0), "name")],
      columns: [.key(0), .count, .aggregate(.sum, scale, .int64)],
      having: .compare(.less, StoreSelection.column(1), .constant(.integer(9))),
      order: [QuerySort(StoreSelection.column(2), isReversed: true)]
    )
    #expect(
      "\(StoreRequest.select(groups))"
        == "select Chart where $0.scale > … grouped by $0.name columns key 0, count, sum($0.scale) "
        + "having $0.1 < … sorted by $0.2 reversed limit 5"
    )
    let all = StoreSelection(query, groups: [], columns: [.count])
    #expect(
      "\(StoreRequest.select(all))"
        == "select Chart where $0.scale > … in one group columns count"
    )
    var sorted = query
    sorted.sort = [QuerySort(scale)]
    let values = StoreSelection(sorted, columns: [.value(scale)])
    #expect(
      "\(StoreRequest.select(values))"
        == "select Chart where $0.scale > … columns $0.scale sorted by $0.scale"
    )
  }

  @Test func `descriptions of saves name the conditions of bulk changes`() {
    let larger = QueryExpression.arithmetic(.multiply, scale, .constant(.integer(3)), .int64)
    let changes = StoreChanges(
      bulkChanges: [
        .delete(query),
        .update(StoreQuery(entity: "Chart"), [StoreAssignment("scale", larger)]),
      ]
    )
    #expect(
      "\(StoreRequest.save(changes))"
        == "save bulk delete Chart where $0.scale > … bulk update Chart set scale to $0.scale * …"
    )
  }

  @Test func `descriptions of requests for the history name its filter, and contain no values`() {
    let filter = StoreHistoryFilter.all([
      .number(.greater, 41), .not(.text(.author, ["Ann"])),
      .any([.changes(entities: ["Chart", "Atlas"]), .timestamp(.less, .distantPast)]),
      .numbers([1, 2]),
    ])
    let query = StoreHistoryQuery(
      filter: filter,
      order: [.init(.timestamp, isReversed: true), .init(.number)],
      limit: 3
    )
    #expect(
      "\(StoreRequest.history(query))"
        == "history where (number > … && !(author in 1) && (changes of Atlas or Chart || timestamp < …)"
        + " && number in 2) sorted by timestamp reversed, number limit 3"
    )
  }
}

@Suite struct CountingStoreTests {
  @Test func `requests and rows are counted while a closure runs`() throws {
    let counter = StoreCounter()
    let (container, context) = try open(MemoryStoreConfiguration().counted(by: counter))
    for number in 0..<10 { context.insert(Chart("\(number)")) }
    let saving = try counter.count { try context.save() }
    #expect(saving.saves == 1)
    #expect(saving.rows == 0)
    let reading = try counter.count { try names(in: container) }
    #expect(reading.requests == 1)
    #expect(reading.rows == 10)
    #expect(reading.description == "1 requests, 10 rows, 0 saves\n  read Chart")
  }

  @Test func `nested counts each count their own requests`() throws {
    let counter = StoreCounter()
    let (container, _) = try open(MemoryStoreConfiguration().counted(by: counter))
    var inner: StoreCount?
    let outer = try counter.count {
      _ = try names(in: container)
      inner = try counter.count { try names(in: container) }
    }
    #expect(outer.requests == 2)
    #expect(inner?.requests == 1)
  }
}

@Suite struct FaultyStoreTests {
  @Test func `the nth save fails as planned and stores nothing`() throws {
    let plan = FaultPlan()
    let (container, context) = try open(MemoryStoreConfiguration().faulty(plan))
    plan.fail(.save, nth: 2)
    context.insert(Chart("one"))
    try context.save()
    context.insert(Chart("two"))
    #expect(throws: DataStoreError.notSaved) { try context.save() }
    #expect(try names(in: container) == ["one"])
    #expect(plan.remaining == 0)
    try context.save()
    #expect(try names(in: container) == ["one", "two"])
  }

  @Test func `a save of unknown outcome that took effect is found stored`() throws {
    let plan = FaultPlan()
    let (container, context) = try open(MemoryStoreConfiguration().faulty(plan))
    plan.fail(.save, .after)
    context.insert(Chart("one"))
    try context.save()
    #expect(try names(in: container) == ["one"])
    plan.fail(.save, .after)
    plan.fail(.outcome, with: DataStoreError.outcomeUnknown)
    context.insert(Chart("two"))
    #expect(throws: DataStoreError.outcomeUnknown) { try context.save() }
    #expect(try names(in: container) == ["one", "two"])
    try context.save()
    #expect(try names(in: container) == ["one", "two"])
  }

  @Test func `a save of unknown outcome that had no effect can be repeated`() throws {
    let plan = FaultPlan()
    let (container, context) = try open(MemoryStoreConfiguration().faulty(plan))
    plan.fail(.save, with: DataStoreError.outcomeUnknown)
    plan.fail(.outcome, times: 2, with: DataStoreError.outcomeUnknown)
    context.insert(Chart("one"))
    #expect(throws: DataStoreError.outcomeUnknown) { try context.save() }
    #expect(throws: DataStoreError.outcomeUnknown) { try context.save() }
    #expect(try names(in: container) == [])
    try context.save()
    #expect(try names(in: container) == ["one"])
  }

  @Test func `a planned closure runs during the planned requests`() throws {
    let plan = FaultPlan()
    let (container, _) = try open(MemoryStoreConfiguration().faulty(plan))
    let lines = Lines()
    plan.at(.read, nth: 2, times: 2) { lines.add("read") }
    for _ in 0..<5 { _ = try names(in: container) }
    #expect(lines.all == ["read", "read"])
    plan.fail(.read, times: .max, with: DataStoreError.storeBusy)
    for _ in 0..<3 { #expect(throws: DataStoreError.storeBusy) { try names(in: container) } }
    plan.clear()
    #expect(try names(in: container) == [])
  }
}

@Suite struct `Wrapping stores by URL` {
  @Test(arguments: EveryStore.allCases)
  func `are created by the same calls`(_ kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let lines = Mutex<[String]>([])
    let counter = StoreCounter()
    let given: any DataStoreConfiguration = try StoreScheme.configuration(for: kind.url(in: folder))
    let configuration = try given.logged { request in lines.withLock { $0.append("\(request)") } }
      .counted(by: counter).faulty(FaultPlan())
    let (container, context) = try open(configuration)
    context.insert(Chart("Skagerrak"))
    let count = try counter.count { try context.save() }
    #expect(count.saves == 1)
    #expect(lines.withLock { $0 }.contains { $0.hasPrefix("save inserted 1") })
    #expect(try names(in: container) == ["Skagerrak"])
    guard kind.persists else { return }
    let reading = try StoreScheme.configuration(for: kind.url(in: folder)).readOnly()
    // A JSON store is open once in a process, whatever wraps it.
    #expect(throws: DataStoreError.storeReadOnly) {
      try open(reading).container.erase()
    }
  }

  @Test func `are refused if the store has no records`() throws {
    let given: any DataStoreConfiguration = OpaqueStoreConfiguration()
    let error = #expect(throws: DataStoreError.self) { try given.logged { _ in } }
    #expect(error == .unsupportedFeature)
    #expect(error?.message.contains("opaque is a OpaqueStore") == true, "\(error?.message ?? "")")
  }
}

/// A store that is written against SwiftData's protocol alone.
private final class OpaqueStore: DataStore {
  typealias Configuration = OpaqueStoreConfiguration
  typealias Snapshot = DefaultSnapshot
  let identifier = "opaque"
  let schema = Schema()
  let configuration: OpaqueStoreConfiguration

  init(
    _ configuration: OpaqueStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) { self.configuration = configuration }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    throw DataStoreError.storeReadOnly
  }
}

private struct OpaqueStoreConfiguration: DataStoreConfiguration {
  typealias Store = OpaqueStore
  let name = "opaque"
  var schema: Schema?
}
