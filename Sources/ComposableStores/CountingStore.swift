import StoreProtocol

/// A store that counts its requests, for tests against requests that grow with the data.
///
/// ```swift
/// let counter = StoreCounter()
/// let configuration = MemoryStoreConfiguration().counted(by: counter)
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// let count = try counter.count { try report(container) }
/// #expect(count.requests <= 2, "\(count)")
/// ```
public final class CountingStore<Base: RecordStore>: InterceptingStore, RequestCounting {
  /// The type of the store's configuration.
  public typealias Configuration = CountingStoreConfiguration<Base.Configuration>

  /// The configuration of the store.
  public let configuration: Configuration
  /// The wrapped store.
  public let base: Base
  public var counter: StoreCounter { configuration.counter }

  /// Opens the wrapped store.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  public func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    // A failed request counts as well.
    var rows = 0
    defer { counter.note(request, rows: rows) }
    let result = try body()
    rows = result.rows
    return result.value
  }
}

extension CountingStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension CountingStore: MaintainableStore where Base: MaintainableStore {}
extension CountingStore: MigratableStore where Base: MigratableStore {}
extension CountingStore: RewritableStore where Base: RewritableStore {}

/// A store that counts its requests.
public protocol RequestCounting {
  /// The counter of the requests.
  var counter: StoreCounter { get }
}

/// The configuration of a store that counts its requests.
public struct CountingStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = CountingStore<Below.Store>

  /// The configuration of the wrapped store.
  public var base: Below
  /// The counter; several stores may share one.
  public let counter: StoreCounter

  /// Creates a configuration.
  public init(_ base: Below, counter: StoreCounter = StoreCounter()) {
    self.base = base
    self.counter = counter
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store that counts its requests.
  public func counted(
    by counter: StoreCounter = StoreCounter()
  ) -> CountingStoreConfiguration<Self> {
    CountingStoreConfiguration(self, counter: counter)
  }
}
