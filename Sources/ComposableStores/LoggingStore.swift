import StoreProtocol

/// A store that tells of each request what it was, what it gave, and how long it took.
///
/// ```swift
/// let configuration = SQLiteStoreConfiguration(url: url).logged { print($0) }
/// // read Trip filtered sorted: 12 rows in 0.41 ms
/// ```
///
/// The closure is called when a request has ended, on the thread that made it. The description of a
/// request has no value of a row in it; the request itself does.
public final class LoggingStore<Base: RecordStore>: InterceptingStore {
  /// The configuration that describes such a store.
  public typealias Configuration = LoggingStoreConfiguration<Base.Configuration>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  /// The store below.
  public let base: Base

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
    let elapsed = configuration.startClock()
    do {
      let (answer, rows) = try body()
      configuration.log(LoggedRequest(request, rows: rows, duration: elapsed()))
      return answer
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

/// The description of a store that is logged.
public struct LoggingStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The kind of store that this configures.
  public typealias Store = LoggingStore<Below.Store>

  /// The configuration of the store below.
  public var base: Below
  /// Is told of each request.
  public let log: @Sendable (LoggedRequest) -> Void
  /// Starts to measure, and gives what tells the time since then.
  let startClock: @Sendable () -> @Sendable () -> Duration

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - base: The store below.
  ///   - clock: Measures the requests.
  ///   - log: Is told of each request, by many threads at once.
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
  /// The same store, with a closure that is told of each request.
  public func logged(
    clock: some Clock<Duration> = ContinuousClock(),
    _ log: @escaping @Sendable (LoggedRequest) -> Void
  ) -> LoggingStoreConfiguration<Self> {
    LoggingStoreConfiguration(self, clock: clock, log: log)
  }
}

/// A request with what came of it.
public struct LoggedRequest: Sendable, CustomStringConvertible {
  /// What was asked.
  public let request: StoreRequest
  /// How many rows the answer had, or the save named.
  public let rows: Int
  /// How long it took.
  public let duration: Duration
  /// What was thrown, nil where there was an answer.
  public let error: (any Error)?

  init(_ request: StoreRequest, rows: Int, duration: Duration, error: (any Error)? = nil) {
    self.request = request
    self.rows = rows
    self.duration = duration
    self.error = error
  }

  /// One line: `read Trip filtered: 12 rows in 0.41 ms`.
  public var description: String {
    let hundredths = Int((duration / .microseconds(10)).rounded())
    let fraction = hundredths % 100
    let time = "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
    guard let error else { return "\(request): \(rows) rows in \(time)" }
    let reason = (error as? DataStoreError)?.code.rawValue ?? "\(type(of: error))"
    return "\(request): \(reason) after \(time)"
  }
}
