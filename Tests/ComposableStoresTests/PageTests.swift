import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

// The examples of Documentation/ComposableStores.md.

@Suite("Examples of the page on composable stores")
struct PageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `stores are stacked by calls on a configuration`() throws {
    let url = folder.file("atlas.db")
    // snippet.stacked-stores
    let configuration = SQLiteStoreConfiguration(url: url).logged { print($0) }.counted()
    let container = try ModelContainer(for: Atlas.self, configurations: configuration)
    // snippet.end
    #expect(container.stores[0] is CountingStore<LoggingStore<SQLiteStore>>)
  }

  @Test func `the store of a URL is logged and measured in three lines`() throws {
    let lines = Mutex<[String]>([])
    let url = "sqlite:\(folder.file("atlas.db").path)"
    let logger = PageLogger { line in lines.withLock { $0.append(line) } }
    let metrics = logger
    // snippet.logged-url
    let configuration = try StoreScheme.configuration(for: url).logged { request in
      logger.debug("\(request)")
      metrics.record(request.duration, "store.\(request.request.kind.rawValue)")
    }
    // snippet.end
    let (_, context) = try open(configuration)
    _ = try context.fetchCount(FetchDescriptor<Atlas>())
    let seen = lines.withLock { $0 }
    #expect(seen.contains { $0.hasPrefix("count Atlas") } && seen.contains("store.count"))
  }

  @Test func `requests are spans of a tracer`() throws {
    let given: any DataStoreConfiguration = try StoreScheme.configuration(for: "memory:")
    let (_, context) = try open(given.intercepted(by: StoreTracing()))
    let tracer = PageTracer()
    try PageTracer.$current.withValue(tracer) {
      context.insert(Chart("Skagerrak"))
      try context.save()
      _ = try context.fetchCount(FetchDescriptor<Atlas>())
    }
    #expect(tracer.spans == ["save inserted 1: 1", "count Atlas: 0"])
  }

  @Test func `a custom wrapper intercepts requests and keeps the history`() throws {
    let plain = MemoryStoreConfiguration()
    let (container, context) = try open(AuditedStoreConfiguration(base: plain))
    context.author = "import"
    context.insert(Chart("Skagerrak"))
    try context.save()
    #expect(try names(in: container) == ["Skagerrak"])
    #expect(container.stores[0] is any HistoryKeeping)
  }
}

// snippet.traced-store
struct StoreTracing: RequestInterceptor {
  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    try withSpan("\(request)", ofKind: .client) { span in
      let result = try body()
      span.attributes["db.response.returned_rows"] = result.rows
      return result.value
    }
  }
}
// snippet.end

// snippet.audited-store
final class AuditedStore<Base: RecordStore>: InterceptingStore {
  typealias Configuration = AuditedStoreConfiguration<Base.Configuration>
  typealias Snapshot = DefaultSnapshot
  let configuration: Configuration
  let base: Base

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    let value = try body().value
    if case .save(let changes) = request {
      print(changes.editingState.author ?? "somebody", "saved")
    }
    return value
  }
}

extension AuditedStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}

struct AuditedStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  typealias Store = AuditedStore<Below.Store>
  var base: Below
}
// snippet.end

/// The logger and the metrics of the page's examples.
private struct PageLogger: Sendable {
  let write: @Sendable (String) -> Void

  func debug(_ line: String) { write(line) }

  func record(_ duration: Duration, _ name: String) { write(name) }
}

/// The spans of the page's example, in place of those of swift-distributed-tracing.
private final class PageTracer: Sendable {
  @TaskLocal static var current: PageTracer?

  private let list = Mutex<[String]>([])
  var spans: [String] { list.withLock { $0 } }

  func end(_ span: PageSpan) {
    let rows = span.attributes["db.response.returned_rows"] ?? -1
    list.withLock { $0.append("\(span.name): \(rows)") }
  }
}

private final class PageSpan {
  enum Kind { case client }

  let name: String
  var attributes: [String: Int] = [:]

  init(_ name: String) { self.name = name }
}

private func withSpan<Value>(
  _ name: String,
  ofKind kind: PageSpan.Kind,
  _ operation: (PageSpan) throws -> Value
) rethrows -> Value {
  let span = PageSpan(name)
  defer { PageTracer.current?.end(span) }
  return try operation(span)
}
