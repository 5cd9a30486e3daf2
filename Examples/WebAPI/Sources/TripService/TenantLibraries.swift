import ComposableStores
import Dispatch
import Hummingbird
import OpenSwiftData
import Tracing

/// The trips of many tenants, each with a store of its own in one PostgreSQL database.
public struct TenantLibraries: Sendable {
  private let database: PostgreSQLDatabase
  private let containers: ModelContainerCache
  private let instruments: StoreInstruments?

  /// Creates the libraries of a database at a URL without a schema.
  ///
  /// With instruments, each request is a span, the parent of those of the tenant's store.
  public init(url: String, instruments: StoreInstruments? = nil) throws {
    let database = try PostgreSQLDatabase(url: url, schema: TripLibrary.schema)
    self.database = database
    self.instruments = instruments
    containers = ModelContainerCache(for: TripLibrary.schema) { name in
      let configuration = try database.configuration(ofStore: name)
      guard let instruments else { return configuration }
      return configuration.intercepted(by: instruments)
    }
  }

  /// The routes of a tenant's trips under `/tenants/NAME`, `PUT /tenants/NAME` for a new tenant, and
  /// `/healthz`.
  public func router() -> Router<BasicRequestContext> {
    let router = TripLibrary.emptyRouter(isTraced: instruments != nil)
    router.put("tenants/:tenant") { _, context in
      let store = try Self.store(context)
      try await Self.waiting { try database.createStore(named: store) }
      return HTTPResponse.Status.created
    }
    TripLibrary.addTrips(to: router.group("tenants/:tenant")) { context in
      try await TripLibrary(containers.container(named: Self.store(context)))
    }
    return router
  }

  /// Runs a body on a thread of its own, which may wait for the server, in the span of the request.
  private static func waiting(_ body: @escaping @Sendable () throws -> Void) async throws {
    let context = ServiceContext.current
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "TenantLibraries").async {
        continuation.resume(with: Result { try ServiceContext.withValue(context, operation: body) })
      }
    }
  }

  /// The store of a request's tenant, whose schema has a prefix, so that no path names another one.
  private static func store(_ context: BasicRequestContext) throws -> String {
    try "tenant_" + context.parameters.require("tenant")
  }
}
