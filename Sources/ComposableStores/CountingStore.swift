import StoreProtocol

/// A store that counts what it is asked, for tests against requests that grow with the data.
///
/// ```swift
/// let counter = StoreCounter()
/// let configuration = MemoryStoreConfiguration().counted(by: counter)
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// let count = try counter.count { try report(container) }
/// #expect(count.requests <= 2, "\(count)")
/// ```
public final class CountingStore<Base: RecordStore>: InterceptingStore, RequestCounting {
  /// The configuration that describes such a store.
  public typealias Configuration = CountingStoreConfiguration<Base.Configuration>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  /// The store below.
  public let base: Base
  public var counter: StoreCounter { configuration.counter }

  /// Opens the store below.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  public func perform<Answer>(
    _ request: StoreRequest,
    _ body: () throws -> (answer: Answer, rows: Int)
  ) throws -> Answer {
    // What was asked in vain was asked as well.
    var rows = 0
    defer { counter.note(request, rows: rows) }
    let result = try body()
    rows = result.rows
    return result.answer
  }
}

extension CountingStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension CountingStore: MaintainableStore where Base: MaintainableStore {}
extension CountingStore: MigratableStore where Base: MigratableStore {}
extension CountingStore: RewritableStore where Base: RewritableStore {}

/// A store that counts what it is asked.
public protocol RequestCounting {
  /// What counts.
  var counter: StoreCounter { get }
}

/// The description of a store that counts.
public struct CountingStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The kind of store that this configures.
  public typealias Store = CountingStore<Below.Store>

  /// The configuration of the store below.
  public var base: Below
  /// What counts; several stores may share one.
  public let counter: StoreCounter

  /// Creates a configuration.
  public init(_ base: Below, counter: StoreCounter = StoreCounter()) {
    self.base = base
    self.counter = counter
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// The same store, with its requests counted.
  public func counted(
    by counter: StoreCounter = StoreCounter()
  ) -> CountingStoreConfiguration<Self> {
    CountingStoreConfiguration(self, counter: counter)
  }
}
