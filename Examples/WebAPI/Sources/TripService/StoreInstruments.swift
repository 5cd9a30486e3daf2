import ComposableStores
import Logging
import Metrics
import OpenSwiftData
import ServiceLifecycle
import Tracing

/// Reports each request to a store as a span, a timer and a line of the log.
///
/// The SQL statements of the request are spans within its span.
///
/// The program sets the backends with `InstrumentationSystem`, `MetricsSystem` and `LoggingSystem`.
/// The names of attributes and timers are those of OpenTelemetry.
public struct StoreInstruments: RequestInterceptor {
  private let log: RequestLog

  /// Creates the instruments of a store.
  public init(logger: Logger = Logger(label: "store")) {
    log = RequestLog { ended in
      logger.log(level: ended.error == nil ? .info : .error, "\(ended)")
      let dimensions = [("db.operation.name", ended.request.kind.rawValue)]
      Timer(label: "db.client.operation.duration", dimensions: dimensions)
        .record(duration: ended.duration)
    }
  }

  public func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    let kind = request.kind.rawValue
    let name = request.entity.map { "\(kind) \($0)" } ?? kind
    // The span is the current one for all that the body does, and records its error.
    return try withSpan(name, ofKind: .client) { span in
      span.updateAttributes { attributes in
        attributes["db.operation.name"] = kind
        attributes["db.collection.name"] = request.entity
        attributes["db.query.text"] = request.description
      }
      return try log.perform(request) {
        let result = try observingStatements { [parent = span.context] sql in
          let command = String(sql.prefix { $0 != " " })
          let statement = startSpan(command, context: parent, ofKind: .client)
          statement.attributes["db.query.text"] = sql
          return { error in
            if let error { statement.recordError(error) }
            statement.end()
          }
        } during: {
          try body()
        }
        span.attributes["db.response.returned_rows"] = result.rows
        return result
      }
    }
  }
}

/// A container as a service, which ends after those that begin later.
public struct StoreService: Service {
  private let container: ModelContainer

  /// Creates the service of a container.
  public init(_ container: ModelContainer) { self.container = container }

  /// Closes the stores when the group of services shuts down.
  public func run() async throws {
    try await cancelWhenGracefulShutdown { try await container.run() }
  }
}
