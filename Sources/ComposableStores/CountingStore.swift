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
public typealias CountingStore<Base: RecordStore> = InterceptedStore<Base, StoreCounter>

extension StoreCounter: RequestInterceptor {
  public func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    // A failed request counts as well.
    var rows = 0
    defer { note(request, rows: rows) }
    let result = try body()
    rows = result.rows
    return result.value
  }
}

/// A store that counts its requests.
public protocol RequestCounting {
  /// The counter of the requests.
  var counter: StoreCounter { get }
}

extension InterceptedStore: RequestCounting where Interceptor == StoreCounter {
  public var counter: StoreCounter { configuration.interceptor }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store that counts its requests; several stores may share a
  /// counter.
  public func counted(
    by counter: StoreCounter = StoreCounter()
  ) -> InterceptedStoreConfiguration<Self, StoreCounter> {
    InterceptedStoreConfiguration(self, counter)
  }
}
