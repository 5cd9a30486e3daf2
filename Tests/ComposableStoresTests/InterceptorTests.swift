import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

/// The span in which a request runs, as tracers keep it.
private enum Span {
  @TaskLocal static var current = "none"
}

/// Records the parent of each request, which is the parent of what runs within it.
private final class Tracer: RequestInterceptor {
  private let list = Mutex<[String]>([])
  var lines: [String] { list.withLock { $0 } }

  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    let parent = Span.current
    do {
      let (value, rows) = try Span.$current.withValue("\(parent) > \(request.kind)") { try body() }
      let entity = request.entity ?? "all"
      list.withLock { $0.append("\(parent): \(request) in \(entity), \(rows) rows") }
      return value
    } catch {
      list.withLock { $0.append("\(parent): \(request) failed") }
      throw error
    }
  }
}

/// Records the statements of each request, with the span of its task.
private final class StatementTracer: RequestInterceptor {
  private let list = Mutex<(begun: Int, ended: [String])>((0, []))
  var begun: Int { list.withLock { $0.begun } }
  var lines: [String] { list.withLock { $0.ended } }

  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    let parent = "\(Span.current) > \(request.kind)"
    return try observingStatements { sql in
      self.list.withLock { $0.begun += 1 }
      return { error in
        self.list.withLock { $0.ended.append("\(parent)\(error == nil ? "" : " failed"): \(sql)") }
      }
    } during: {
      try body().value
    }
  }
}

@Suite struct `Interceptors` {
  @Test(arguments: EveryStore.withServer)
  func `perform each request in the span of its task`(_ kind: EveryStore) async throws {
    let folder = try TemporaryFolder()
    let inner = Tracer()
    let outer = Tracer()
    let given: any DataStoreConfiguration = try StoreScheme.configuration(for: kind.url(in: folder))
    let (container, _) = try open(given.intercepted(by: inner).intercepted(by: outer))
    try await Span.$current.withValue("POST") {
      try await container.performBackgroundTask { context in
        context.insert(Chart("Skagerrak", scale: 7, atlas: Atlas("North")))
        try context.save()
      }
    }
    try Span.$current.withValue("GET") {
      let context = ModelContext(container)
      let scale = 7
      let chart = try #require(
        try context.fetch(
          FetchDescriptor<Chart>(
            predicate: #Predicate { $0.scale == scale },
            sortBy: [SortDescriptor(\.name)]
          )
        ).first
      )
      _ = try context.fetchCount(FetchDescriptor<Atlas>())
      _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      Span.$current.withValue("touch") { _ = chart.atlas?.charts.count }
    }
    let expected = [
      "POST: save inserted 2 in all, 2 rows",
      "GET: read Chart where $0.scale == … sorted by $0.name in Chart, 1 rows",
      "GET: count Atlas in Atlas, 0 rows",
      "GET: history in all, 1 rows",
    ]
    for line in expected {
      #expect(outer.lines.contains(line), "\(line) is missing in \(outer.lines)")
    }
    #expect(outer.lines.contains { $0.hasPrefix("touch: members Atlas.charts") }, "\(outer.lines)")
    // What runs within a request has it as the parent.
    #expect(inner.lines.contains("POST > save: save inserted 2 in all, 2 rows"))
    #expect(
      inner.lines.allSatisfy { line in
        line.hasPrefix("none > ") || line.hasPrefix("POST > ") || line.hasPrefix("GET > ")
          || line.hasPrefix("touch > ")
      },
      "\(inner.lines)"
    )
  }

  @Test(arguments: EveryStore.withServer)
  func `see the statements of each request, without values`(_ kind: EveryStore) async throws {
    let folder = try TemporaryFolder()
    let (inner, outer) = (StatementTracer(), StatementTracer())
    let given: any DataStoreConfiguration = try StoreScheme.configuration(for: kind.url(in: folder))
    let (container, _) = try open(given.intercepted(by: inner).intercepted(by: outer))
    try await Span.$current.withValue("POST") {
      try await container.performBackgroundTask { context in
        context.insert(Chart("Skagerrak", scale: 7))
        try context.save()
      }
    }
    try Span.$current.withValue("GET") {
      let name = "Skagerrak"
      let named = FetchDescriptor<Chart>(predicate: #Predicate { $0.name == name })
      let found = try ModelContext(container).fetch(named)
      #expect(found.count == 1)
    }
    // Each of the interceptors sees all.
    #expect(inner.lines == outer.lines)
    #expect(inner.lines.count == inner.begun)
    guard kind == .sqlite || kind == .sqliteInMemory || kind == .postgreSQL else {
      #expect(inner.lines.isEmpty, "\(inner.lines)")
      return
    }
    for (parent, words) in [
      ("POST > save: ", ["INSERT INTO", "Chart"]), ("POST > save: ", ["COMMIT"]),
      ("GET > read: ", ["SELECT", "Chart"]),
    ] {
      let found = inner.lines.contains { line in
        line.hasPrefix(parent) && words.allSatisfy { line.contains($0) }
      }
      #expect(found, "\(parent)\(words) is missing in \(inner.lines)")
    }
    #expect(!inner.lines.contains { $0.contains("Skagerrak") }, "\(inner.lines)")
  }

  @Test(arguments: EveryStore.withServer)
  func `cause no request for related rows that a store reads at once`(_ kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let counter = StoreCounter()
    let given: any DataStoreConfiguration = try StoreScheme.configuration(for: kind.url(in: folder))
    let (container, writer) = try open(given.counted(by: counter).intercepted(by: Tracer()))
    let atlas = Atlas("North")
    for name in ["Skagerrak", "Kattegat"] { writer.insert(Chart(name, atlas: atlas)) }
    try writer.save()

    let intercepted = try #require(container.stores[0] as? any ForwardingStore)
    let counted = try #require(intercepted.target as? any ForwardingStore)
    let owners = [atlas.persistentModelID]
    func related(_ store: any RecordStore) throws -> (areRead: Bool, count: Int) {
      var count = 0
      let found = try store.members(of: "charts", in: "Atlas", owners: owners, wantsRows: true) {
        _,
        _ in count += 1
      }
      guard case .read = found else { return (false, count) }
      return (true, count)
    }
    let plain = try related(counted.target)
    #expect(plain == (plain.areRead, plain.areRead ? 2 : 0))
    #expect(try related(intercepted) == plain)

    let context = ModelContext(container)
    let found = try #require(try context.fetch(FetchDescriptor<Atlas>()).first)
    let count = counter.count {
      #expect(Set(found.charts.map(\.name)) == ["Skagerrak", "Kattegat"])
    }
    #expect(count.requests == (plain.areRead ? 1 : 2), "\(count)")
  }

  @Test(arguments: EveryStore.withServer)
  func `see the numbers of identifiers and of related objects`(_ kind: EveryStore) throws {
    let folder = try TemporaryFolder()
    let tracer = Tracer()
    let given: any DataStoreConfiguration = try StoreScheme.configuration(for: kind.url(in: folder))
    let (container, writer) = try open(given.intercepted(by: tracer))
    let atlas = Atlas("North")
    for name in ["Skagerrak", "Kattegat"] { writer.insert(Chart(name, atlas: atlas)) }
    try writer.save()
    let context = ModelContext(container)
    _ = try context.fetchIdentifiers(FetchDescriptor<Chart>())
    let found = try #require(try context.fetch(FetchDescriptor<Atlas>()).first)
    #expect(found.charts.count == 2)
    let lines = ["identifiers Chart in Chart", "members Atlas.charts of 1 in Atlas"]
    for line in lines.map({ "\($0), 2 rows" }) {
      #expect(tracer.lines.contains("none: \(line)"), "\(line) is missing in \(tracer.lines)")
    }
  }

  @Test func `see the errors of requests`() throws {
    let tracer = Tracer()
    let plan = FaultPlan()
    let (_, context) = try open(MemoryStoreConfiguration().faulty(plan).intercepted(by: tracer))
    plan.fail(.save)
    context.insert(Chart("Skagerrak"))
    #expect(throws: DataStoreError.notSaved) { try context.save() }
    #expect(tracer.lines == ["none: save inserted 1 failed"])
  }
}
