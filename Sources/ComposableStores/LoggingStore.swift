import StoreProtocol

/// A store that reports each request with its result size and duration.
///
/// ```swift
/// let configuration = SQLiteStoreConfiguration(url: url).logged { print($0) }
/// // read Trip where $0.name == … sorted by $0.start: 12 rows in 0.41 ms
/// ```
///
/// The closure is called when a request has ended, on its thread. The description of a request
/// contains no value of a row; the request itself does.
public final class LoggingStore<Base: RecordStore>: InterceptingStore {
  /// The type of the store's configuration.
  public typealias Configuration = LoggingStoreConfiguration<Base.Configuration>

  /// The configuration of the store.
  public let configuration: Configuration
  /// The wrapped store.
  public let base: Base

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
    let elapsed = configuration.startClock()
    do {
      let (value, rows) = try body()
      configuration.log(LoggedRequest(request, rows: rows, duration: elapsed()))
      return value
    } catch {
      configuration.log(LoggedRequest(request, rows: 0, duration: elapsed(), error: error))
      throw error
    }
  }
}

extension LoggingStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension LoggingStore: MaintainableStore where Base: MaintainableStore {}
extension LoggingStore: MigratableStore where Base: MigratableStore {}
extension LoggingStore: RewritableStore where Base: RewritableStore {}

/// The configuration of a store that is logged.
public struct LoggingStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = LoggingStore<Below.Store>

  /// The configuration of the wrapped store.
  public var base: Below
  /// Called with each request.
  public let log: @Sendable (LoggedRequest) -> Void
  /// Starts a measurement, and returns a function that returns the time since then.
  let startClock: @Sendable () -> @Sendable () -> Duration

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - base: The wrapped store.
  ///   - clock: The clock for the durations.
  ///   - log: Called with each request, concurrently on many threads.
  public init(
    _ base: Below,
    clock: some Clock<Duration> = ContinuousClock(),
    log: @escaping @Sendable (LoggedRequest) -> Void
  ) {
    self.base = base
    self.log = log
    startClock = {
      let start = clock.now
      return { start.duration(to: clock.now) }
    }
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store with a closure that is called with each request.
  public func logged(
    clock: some Clock<Duration> = ContinuousClock(),
    _ log: @escaping @Sendable (LoggedRequest) -> Void
  ) -> LoggingStoreConfiguration<Self> {
    LoggingStoreConfiguration(self, clock: clock, log: log)
  }
}

/// A request with its outcome.
public struct LoggedRequest: Sendable, CustomStringConvertible {
  /// The request.
  public let request: StoreRequest
  /// The number of rows in the result, or in the save.
  public let rows: Int
  /// The duration of the request.
  public let duration: Duration
  /// The error, or `nil` if the request succeeded.
  public let error: (any Error)?

  init(_ request: StoreRequest, rows: Int, duration: Duration, error: (any Error)? = nil) {
    self.request = request
    self.rows = rows
    self.duration = duration
    self.error = error
  }

  /// One line: `read Trip where $0.name == …: 12 rows in 0.41 ms`.
  public var description: String {
    let hundredths = Int((duration / .microseconds(10)).rounded())
    let fraction = hundredths % 100
    let time = "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
    guard let error else { return "\(request): \(rows) rows in \(time)" }
    let reason = (error as? DataStoreError)?.code.rawValue ?? "\(type(of: error))"
    return "\(request): \(reason) after \(time)"
  }
}
