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

  /// The spans of some requests to a server, as the tracer has finished them.
  private struct Trace {
    let spans: [FinishedInMemorySpan]

    /// The span of a request to the server.
    func request(_ method: String) throws -> FinishedInMemorySpan {
      try #require(
        spans.first {
          $0.kind == .server
            && $0.attributes.get("http.request.method") == .string(method)
        }
      )
    }

    /// The spans directly within another one, which are of its trace.
    func within(_ parent: FinishedInMemorySpan, named name: String? = nil) -> [FinishedInMemorySpan]
    {
      let found = spans.filter { $0.spanContext.parentSpanID == parent.spanContext.spanID }
      #expect(found.allSatisfy { $0.spanContext.traceID == parent.spanContext.traceID })
      return found.filter { name == nil || $0.operationName == name }
    }

    /// What the spans directly within others are about.
    func texts(within parents: [FinishedInMemorySpan]) -> [String] {
      parents.flatMap { within($0) }.compactMap(\.queryText)
    }
  }

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
    let trace = Trace(spans: tracer.popFinishedSpans())
    let get = try trace.request("GET")
    let fetches = trace.within(get, named: "read Trip")
    let order = "sorted by $0.startDate, $0.name limit 5"
    #expect(trace.within(get, named: "count Trip").count == 1)
    #expect(fetches.map(\.queryText) == ["read Trip \(order)"])
    // The save ran on a thread of its own.
    let saves = trace.within(try trace.request("POST"), named: "save")
    #expect(saves.count == 1)
    let (read, written) = (trace.texts(within: fetches), trace.texts(within: saves))
    if store == "sqlite:" {
      #expect(read.contains { $0.contains("SELECT") && $0.contains("Trip") }, "\(read)")
      #expect(written.contains { $0.hasPrefix("INSERT INTO") }, "\(written)")
      #expect(written.contains("COMMIT"))
    } else {
      #expect(read + written == [])
    }
    #expect(log.entries.contains { "\($0.message)".hasPrefix("read Trip \(order): 1 rows in ") })
    let timer = try metrics.expectTimer(
      "db.client.operation.duration",
      [("db.operation.name", "save")]
    )
    #expect(!timer.values.isEmpty)
  }

  @Test(
    .enabled(
      if: TripServiceTests.database != nil,
      "needs a server: Scripts/with-postgresql swift test"
    )
  )
  func `a request of a tenant, its fetch and its statement are one trace`() async throws {
    let url = try #require(TripServiceTests.database)
    let tracer = Self.tracer
    let libraries = try TenantLibraries(
      url: url,
      instruments: StoreInstruments(logger: Self.silent)
    )
    let name = "t" + UUID().uuidString
    try await Server.run(libraries.router()) { server in
      #expect(try await server.ask("PUT", "/tenants/\(name)").status == 201)
      tracer.clearFinishedSpans()
      let added = try await server.ask("POST", "/tenants/\(name)/trips", Self.trip)
      #expect(added.status == 201, "\(added.text)")
      #expect(try await server.page("", of: name).names == ["Christmas"])
    }
    let trace = Trace(spans: tracer.popFinishedSpans())
    let fetches = trace.within(try trace.request("GET"), named: "read Trip")
    let read = trace.texts(within: fetches)
    #expect(read.contains { $0.contains("SELECT") && $0.contains("Trip") }, "\(read)")
    let saves = trace.within(try trace.request("POST"), named: "save")
    // All of a save is one round trip, or two if it reads.
    let written = trace.texts(within: saves)
    #expect(written.contains { $0.contains("INSERT INTO") && $0.contains("COMMIT") }, "\(written)")
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

extension FinishedInMemorySpan {
  /// The request to a store, or the SQL of the statement.
  fileprivate var queryText: String? {
    guard case .string(let text)? = attributes.get("db.query.text") else { return nil }
    return text
  }
}
