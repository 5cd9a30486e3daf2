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
public typealias LoggingStore<Base: RecordStore> = InterceptedStore<Base, RequestLog>

/// A closure that is called with each request.
public struct RequestLog: RequestInterceptor {
  private let log: @Sendable (LoggedRequest) -> Void
  /// Starts a measurement, and returns a function that returns the time since then.
  private let startClock: @Sendable () -> @Sendable () -> Duration

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - clock: The clock for the durations.
  ///   - log: Called with each request, concurrently on many threads.
  public init(
    clock: some Clock<Duration> = ContinuousClock(),
    _ log: @escaping @Sendable (LoggedRequest) -> Void
  ) {
    self.log = log
    startClock = {
      let start = clock.now
      return { start.duration(to: clock.now) }
    }
  }

  public func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    let elapsed = startClock()
    do {
      let (value, rows) = try body()
      log(LoggedRequest(request, rows: rows, duration: elapsed()))
      return value
    } catch {
      log(LoggedRequest(request, rows: 0, duration: elapsed(), error: error))
      throw error
    }
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store with a closure that is called with each request.
  public func logged(
    clock: some Clock<Duration> = ContinuousClock(),
    _ log: @escaping @Sendable (LoggedRequest) -> Void
  ) -> InterceptedStoreConfiguration<Self, RequestLog> {
    InterceptedStoreConfiguration(self, RequestLog(clock: clock, log))
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
    let reason = (error as? DataStoreError)?.code ?? "\(type(of: error))"
    return "\(request): \(reason) after \(time)"
  }
}
