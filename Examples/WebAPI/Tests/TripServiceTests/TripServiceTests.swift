import Foundation
import Hummingbird
import RawSQLite
import StoreTesting
import Synchronization
import Testing

@testable import TripService

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server on a free port that runs while a closure sends requests.
struct Server: Sendable {
  /// Allows a connection for each request; the default is six.
  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    configuration.timeoutIntervalForRequest = 3_600
    return URLSession(configuration: configuration)
  }()

  let port: Int

  static func run(
    _ container: ModelContainer,
    _ body: @Sendable (Server) async throws -> Void
  ) async throws {
    try await run(TripLibrary(container).router(), body)
  }

  static func run(
    _ router: Router<BasicRequestContext>,
    _ body: @Sendable (Server) async throws -> Void
  ) async throws {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    var application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }
    )
    // The server would log each connection that clients keep open when it ends.
    application.logger.logLevel = .critical
    let running = application
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await running.run() }
      defer { group.cancelAll() }
      var iterator = ports.makeAsyncIterator()
      let port = try #require(await iterator.next())
      try await body(Server(port: port))
    }
  }

  func ask(
    _ method: String,
    _ path: String,
    _ json: String? = nil
  ) async throws -> (status: Int, text: String) {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
    request.httpMethod = method
    request.httpBody = json.map { Data($0.utf8) }
    let (data, response) = try await Self.session.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    return (status, String(decoding: data, as: UTF8.self))
  }

  func page(
    _ query: String,
    of tenant: String? = nil
  ) async throws -> (total: Int, names: [String]) {
    struct Response: Decodable {
      struct Named: Decodable { let name: String }
      let total: Int
      let trips: [Named]
    }
    let path = (tenant.map { "/tenants/\($0)" } ?? "") + "/trips\(query)"
    let text = try await ask("GET", path).text
    let response = try JSONDecoder().decode(Response.self, from: Data(text.utf8))
    return (response.total, response.trips.map(\.name))
  }
}

@Suite struct TripServiceTests {
  static let stores = ["memory:", "sqlite:trips.db", "json:trips.json"]

  /// The URL of a PostgreSQL database, which `Scripts/with-postgresql` sets.
  static let database = ProcessInfo.processInfo.environment["POSTGRES_URL"]

  private static func trip(_ number: Int) -> String {
    """
    {"name": "Trip \(number)", "destination": "Oslo", "startDate": "2026-12-\(10 + number)T00:00:00Z",
     "endDate": "2026-12-31T00:00:00Z", "bucketList": [{"title": "Ski", "details": "",
     "hasReservation": false, "isInPlan": false}]}
    """
  }

  @Test(arguments: stores)
  func `a trip can be created, read, listed and deleted`(_ store: String) async throws {
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema, store: store)
    try await Server.run(container) { server in
      let created = try await server.ask("POST", "/trips", Self.trip(1))
      #expect(created.status == 201, "\(created.text)")
      #expect(created.text.contains("\"id\":1") && created.text.contains("\"title\":\"Ski\""))
      // The keys of a JSON object have no order.
      #expect(try await server.ask("GET", "/trips/1").text.sorted() == created.text.sorted())
      #expect(try await server.page("").names == ["Trip 1"])
      #expect(try await server.ask("DELETE", "/trips/1").status == 204)
      #expect(try await server.ask("DELETE", "/trips/1").status == 404)
      #expect(try await server.ask("GET", "/trips/1").status == 404)
    }
  }

  @Test(arguments: stores)
  func `a trip can be changed in part`(_ store: String) async throws {
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema, store: store)
    try await Server.run(container) { server in
      #expect(try await server.ask("POST", "/trips", Self.trip(1)).status == 201)
      let changed = try await server.ask("PATCH", "/trips/1", #"{"destination": "Bergen"}"#)
      #expect(changed.status == 200, "\(changed.text)")
      for part in [#""destination":"Bergen""#, #""name":"Trip 1""#, #""title":"Ski""#] {
        #expect(changed.text.contains(part))
      }
      #expect(try await server.ask("GET", "/trips/1").text.sorted() == changed.text.sorted())
      #expect(try await server.ask("PATCH", "/trips/2", "{}").status == 404)
    }
  }

  @Test(
    arguments: [
      (#"{"name": "Rome", "destinaton": "Rome"}"#, "Trip.destinaton"),
      (#"{"id": 2}"#, "Trip.id"),
      (#"{"bucketList": [{"title": "Ski", "detials": ""}]}"#, "BucketListItem.detials"),
      (#"{"bucketList": [{"title": "Sauna"}]}"#, "BucketListItem"),
      (#"{"name": 4}"#, "Trip.name"), ("not JSON", "the body is not JSON"),
    ]
  )
  func `a change with an unknown member or a wrong value is refused as a whole`(
    _ json: String,
    _ part: String
  ) async throws {
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema)
    try await Server.run(container) { server in
      let created = try await server.ask("POST", "/trips", Self.trip(1))
      let refused = try await server.ask("PATCH", "/trips/1", json)
      #expect(refused.status == 400, "\(refused.text)")
      #expect(refused.text.contains(part), "\(refused.text)")
      #expect(try await server.ask("GET", "/trips/1").text.sorted() == created.text.sorted())
    }
  }

  @Test(arguments: stores)
  func `all of many concurrent requests succeed`(_ store: String) async throws {
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema, store: store)
    try await Server.run(container) { server in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...20 {
          group.addTask { try await server.ask("POST", "/trips", Self.trip(number)).status }
          group.addTask { try await server.ask("GET", "/trips?limit=5").status }
        }
        for try await status in group { #expect(status < 300) }
      }
      let page = try await server.page("?offset=18&limit=5")
      #expect(page.total == 20)
      #expect(page.names == ["Trip 19", "Trip 20"])
    }
  }

  @Test func `the number of store requests for a page does not depend on its size`() async throws {
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema)
    let library = TripLibrary(container)
    let trips = (1...20).map(Self.trip).joined(separator: ",")
    try container.seed(Fixture("{\"Trip\": [\(trips)]}"))
    let small = try container.count { try library.page(offset: 0, limit: 2) }
    let large = try container.count { try library.page(offset: 0, limit: 20) }
    #expect(small.requests == large.requests, "\(large)")
  }

  @Test(.enabled(if: database != nil, "needs a server: Scripts/with-postgresql swift test"))
  func `each tenant has trips of its own, also if two instances serve them`() async throws {
    let url = try #require(Self.database)
    let names = (1...3).map { "\($0)-\(UUID())" }
    // Two instances of the service, as on two machines.
    let (one, other) = try (TenantLibraries(url: url), TenantLibraries(url: url))
    try await Server.run(one.router()) { first in
      try await Server.run(other.router()) { second in
        #expect(try await first.ask("GET", "/tenants/\(names[0])/trips").status == 404)
        for name in names {
          #expect(try await first.ask("PUT", "/tenants/\(name)").status == 201)
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
          for number in 1...20 {
            let server = number % 2 == 0 ? first : second
            let path = "/tenants/\(names[number % 3])/trips"
            group.addTask { try await server.ask("POST", path, Self.trip(number)).status }
          }
          for try await status in group { #expect(status == 201) }
        }
        for server in [first, second] {
          for (index, name) in names.enumerated() {
            let page = try await server.page("?limit=100", of: name)
            #expect(page.total == (1...20).filter { $0 % 3 == index }.count)
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      ("GET", "/trips?limit=many", nil, 400), ("GET", "/trips?offset=-1", nil, 400),
      ("GET", "/trips/rome", nil, 400), ("GET", "/nowhere", nil, 404),
      ("POST", "/trips", "not JSON", 400), ("POST", "/trips", "{\"name\": \"Rome\"}", 400),
      ("POST", "/trips", "{\"name\": 4}", 400), ("PUT", "/trips/1", "{}", 404),
    ] as [(String, String, String?, Int)]
  )
  func `an invalid request returns an error status`(
    _ method: String,
    _ path: String,
    _ json: String?,
    _ status: Int
  ) async throws {
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema)
    try await Server.run(container) { server in
      let response = try await server.ask(method, path, json)
      #expect(response.status == status, "\(response.text)")
    }
  }

  @Test func `a busy store returns status 503, and the request can be repeated`() async throws {
    let faults = FaultPlan()
    let container = try ModelContainer.ephemeral(for: TripLibrary.schema, faults: faults)
    faults.fail(.save, with: DataStoreError.storeBusy)
    try await Server.run(container) { server in
      let refused = try await server.ask("POST", "/trips", Self.trip(1))
      #expect(refused.status == 503)
      #expect(try await server.page("").total == 0)
      #expect(try await server.ask("POST", "/trips", Self.trip(1)).status == 201)
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `health checks and reads succeed while all saves wait for another process`()
    async throws
  {
    let path = NSTemporaryDirectory() + UUID().uuidString + ".db"
    defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
    let waiting = Waiting()
    let faults = FaultPlan()
    faults.at(.save, times: .max) { waiting.add() }
    let store = try StoreScheme.configuration(for: "sqlite:\(path)?timeout=3600")
    let container = try ModelContainer(
      for: TripLibrary.schema,
      configurations: store.faulty(faults)
    )
    try await Server.run(container) { server in
      #expect(try await server.ask("POST", "/trips", Self.trip(1)).status == 201)
      let lock = try WriteLock(path)
      // Twice the number of Swift's threads.
      let count = 2 * ProcessInfo.processInfo.activeProcessorCount
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 2...count + 1 {
          group.addTask { try await server.ask("POST", "/trips", Self.trip(number)).status }
        }
        while waiting.count < 1 + count {
          #expect(try await server.ask("GET", "/healthz").status == 200)
        }
        for _ in 1...20 {
          #expect(try await server.ask("GET", "/healthz").status == 200)
          #expect(try await server.page("").names == ["Trip 1"])
        }
        lock.release()
        for try await status in group { #expect(status == 201) }
      }
      #expect(try await server.page("").total == 1 + count)
    }
  }
}

/// Counts the saves that have begun.
private final class Waiting: Sendable {
  private let saves = Atomic<Int>(0)
  var count: Int { saves.load(ordering: .relaxed) }
  func add() { saves.add(1, ordering: .relaxed) }
}

/// The write lock of a database, held like one of another process.
private struct WriteLock: @unchecked Sendable {
  // Unchecked: one task uses it.
  private let connection: OpaquePointer

  init(_ path: String) throws {
    var connection: OpaquePointer?
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    self.connection = try #require(connection)
    try #require(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
  }

  func release() {
    sqlite3_exec(connection, "ROLLBACK", nil, nil, nil)
    sqlite3_close(connection)
  }
}
