import StoreProtocol

/// A type that performs the requests of a store, for example to trace or to measure them.
///
/// ```swift
/// struct StoreTracing: RequestInterceptor {
///   func perform<Value>(
///     _ request: StoreRequest,
///     _ body: () throws -> (value: Value, rows: Int)
///   ) throws -> Value {
///     try withSpan("\(request.kind) \(request.entity ?? "")", ofKind: .client) { span in
///       let (value, rows) = try body()
///       span.attributes["db.response.returned_rows"] = rows
///       return value
///     }
///   }
/// }
///
/// let configuration = SQLiteStoreConfiguration(url: url).intercepted(by: StoreTracing())
/// ```
///
/// Requests run on the threads that need them, in the tasks of those threads. So the values of
/// task-local variables are those of the caller, which may be a handler of a server or a body of
/// `performBackgroundTask`. A value that `perform` sets is seen by the body.
public protocol RequestInterceptor: Sendable {
  /// Performs a request, as ``InterceptingStore/perform(_:_:)`` does.
  ///
  /// The description of the request names its conditions and orders without values.
  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value
}

extension RequestInterceptor {
  /// Runs a function, and observes the SQL statements that a store executes for it.
  ///
  /// ```swift
  /// try observingStatements { sql in
  ///   let statement = startSpan("statement", context: span.context)
  ///   statement.attributes["db.query.text"] = sql
  ///   return { error in
  ///     if let error { statement.recordError(error) }
  ///     statement.end()
  ///   }
  /// } during: {
  ///   try body()
  /// }
  /// ```
  ///
  /// SQLite, PostgreSQL and Core Data files execute statements, whose SQL has parameters in place of
  /// all values. PostgreSQL executes several in one round trip; those of a request are reported as one,
  /// also if another request sends them. Saves that wait for each other share a COMMIT: it is
  /// reported to the request of the save that came first.
  ///
  /// - Parameters:
  ///   - begin: Called when a statement begins, while the connection is in use, possibly on the thread
  ///     of another request. It returns a function that is called when the statement has ended.
  ///   - body: The function.
  /// - Returns: The result of the function.
  public func observingStatements<Value>(
    _ begin: @escaping @Sendable (_ sql: String) -> (_ error: (any Error)?) -> Void,
    during body: () throws -> Value
  ) rethrows -> Value {
    let outer = StatementObserver.current
    let observer = StatementObserver { sql in
      let (end, outerEnd) = (begin(sql), outer?(sql))
      return { error in
        end(error)
        outerEnd?(error)
      }
    }
    return try StatementObserver.observing(observer, body)
  }
}

/// A store whose requests all go through the interceptor of its configuration.
public final class InterceptedStore<Base: RecordStore, Interceptor: RequestInterceptor>:
  InterceptingStore
{
  /// The type of the store's configuration.
  public typealias Configuration = InterceptedStoreConfiguration<Base.Configuration, Interceptor>

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
    try configuration.interceptor.perform(request, body)
  }

  /// Returns what the wrapped store returns: this store changes no row that it reads, so that an
  /// interceptor causes no further request.
  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    try perform(.members(property: property, entity: entity, owners: owners)) {
      var rows = 0
      let found = try base.members(
        of: property,
        in: entity,
        owners: owners,
        wantsRows: wantsRows
      ) {
        rows += 1
        try body($0, $1)
      }
      return (found, rows + found.listedCount)
    }
  }
}

extension InterceptedStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension InterceptedStore: MaintainableStore where Base: MaintainableStore {}
extension InterceptedStore: MigratableStore where Base: MigratableStore {}
extension InterceptedStore: RewritableStore where Base: RewritableStore {}

/// The configuration of a store with an interceptor; copies share it.
public struct InterceptedStoreConfiguration<
  Below: DataStoreConfiguration,
  Interceptor: RequestInterceptor
>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = InterceptedStore<Below.Store, Interceptor>

  /// The configuration of the wrapped store.
  public var base: Below
  /// The interceptor; several stores may share one.
  public let interceptor: Interceptor

  /// Creates a configuration.
  public init(_ base: Below, _ interceptor: Interceptor) {
    self.base = base
    self.interceptor = interceptor
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store whose requests all go through an interceptor.
  ///
  /// An interceptor that only calls the body allocates nothing, and a store without one pays nothing.
  public func intercepted<Interceptor: RequestInterceptor>(
    by interceptor: Interceptor
  ) -> InterceptedStoreConfiguration<Self, Interceptor> {
    InterceptedStoreConfiguration(self, interceptor)
  }
}
