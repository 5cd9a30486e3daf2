import ComposableStores
import Foundation
import Hummingbird
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import ServiceLifecycle
import StoreTesting
import Testing
import Tracing

@testable import TripService

// One after the other, since the tracer and the metrics are those of the process.
@Suite(.serialized) struct StoreInstrumentsTests {
  private static let tracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()

  private static let metrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  private static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }

  private static let trip = """
    {"name": "Christmas", "destination": "Oslo", "startDate": "2026-12-23T00:00:00Z",
     "endDate": "2026-12-28T00:00:00Z", "bucketList": []}
    """

  @Test(arguments: ["memory:", "sqlite:", "json:"])
  func `a request, its fetch and its statement are one trace`(_ store: String) async throws {
    let (tracer, metrics, log) = (Self.tracer, Self.metrics, InMemoryLogHandler())
    let instruments = StoreInstruments(logger: Logger(label: "store") { _ in log })
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema) { folder in
      let path = store == "memory:" ? "" : folder.appending(path: "trips").path
      return try StoreScheme.configuration(for: store + path).intercepted(by: instruments)
    }
    tracer.clearFinishedSpans()
    try await Server.run(TripLibrary(container).router(isTraced: true)) { server in
      let added = try await server.ask("POST", "/trips", Self.trip)
      #expect(added.status == 201, "\(added.text)")
      let page = try await server.page("?limit=5")
      #expect(page.names == ["Christmas"])
    }
    let spans = tracer.popFinishedSpans()
    func request(_ method: String) throws -> FinishedInMemorySpan {
      try #require(
        spans.first {
          $0.kind == .server
            && $0.attributes.get("http.request.method") == .string(method)
        }
      )
    }
    func statements(of request: FinishedInMemorySpan) -> [String: [String]] {
      let fetches = spans.filter { $0.spanContext.parentSpanID == request.spanContext.spanID }
      #expect(fetches.allSatisfy { $0.spanContext.traceID == request.spanContext.traceID })
      return Dictionary(grouping: fetches, by: \.operationName).mapValues { fetches in
        fetches.compactMap { fetch -> String? in
          guard case .string(let text)? = fetch.attributes.get("db.query.text") else { return nil }
          return text
        }
      }
    }
    let get = statements(of: try request("GET"))
    let order = "sorted by $0.startDate, $0.name limit 5"
    #expect(get["count Trip"]?.count == 1, "\(get)")
    #expect(get["read Trip"] == ["read Trip \(order)"], "\(get)")
    // The save ran on a thread of its own.
    #expect(statements(of: try request("POST"))["save"]?.count == 1)
    #expect(log.entries.contains { "\($0.message)".hasPrefix("read Trip \(order): 1 rows in ") })
    let timer = try metrics.expectTimer(
      "db.client.operation.duration",
      [("db.operation.name", "save")]
    )
    #expect(!timer.values.isEmpty)
  }

  @Test func `a request that failed has a span with its error`() async throws {
    let (tracer, faults) = (Self.tracer, FaultPlan())
    faults.fail(.read, with: DataStoreError.storeBusy)
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema) { _ in
      let store = try StoreScheme.configuration(for: "memory:").faulty(faults)
      return try store.intercepted(by: StoreInstruments(logger: Self.silent))
    }
    tracer.clearFinishedSpans()
    #expect(throws: DataStoreError.storeBusy) {
      try TripLibrary(container).page(offset: 0, limit: 1)
    }
    let failed = tracer.popFinishedSpans().filter { !$0.errors.isEmpty }
    #expect(failed.map(\.operationName) == ["read Trip"])
  }

  @Test func `a container closes its stores when its group of services ends`() async throws {
    struct Requests: Service {
      func run() async throws {}
    }
    let container = try ModelContainer.ephemeral(
      for: TripLibrary.schema,
      store: "sqlite:trips.db"
    )
    let requests = ServiceGroupConfiguration.ServiceConfiguration(
      service: Requests(),
      successTerminationBehavior: .gracefullyShutdownGroup
    )
    try await ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: StoreService(container)), requests],
        logger: Self.silent
      )
    ).run()
    #expect(throws: DataStoreError.storeClosed) {
      try TripLibrary(container).page(offset: 0, limit: 1)
    }
  }
}
