import ComposableStores
import Foundation
import Hummingbird
import Logging
import Metrics
import OpenSwiftData
import TripService

/// Serves the trips of the store that `DATASTORE_URL` names on the loopback address, or with `TENANTS`
/// those of the tenants in the PostgreSQL database that it names.
@main
struct TripServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let store = environment["DATASTORE_URL"] ?? "sqlite:trips.db"
    guard environment["TENANTS"] == nil else {
      return try await serve(TenantLibraries(url: store).router(), environment)
    }
    let configuration = try StoreScheme.configuration(for: store)
    let container = try ModelContainer(
      for: TripLibrary.schema,
      configurations: environment["LOG_STORE"] == nil ? configuration : watched(configuration)
    )
    try await serve(TripLibrary(container).router(), environment)
    try container.close()
  }

  private static func serve(
    _ router: Router<BasicRequestContext>,
    _ environment: [String: String]
  ) async throws {
    let port = environment["PORT"].flatMap(Int.init) ?? 8080
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    )
    try await application.runService()
  }

  /// The same store with each request as a line of swift-log and a timer of swift-metrics.
  private static func watched(
    _ configuration: any DataStoreConfiguration
  ) throws -> any DataStoreConfiguration {
    let logger = Logger(label: "store")
    return try configuration.logged { request in
      logger.info("\(request)")
      Timer(label: "store.\(request.request.kind.rawValue)").record(duration: request.duration)
    }
  }
}
