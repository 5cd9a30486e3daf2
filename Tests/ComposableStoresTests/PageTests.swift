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
