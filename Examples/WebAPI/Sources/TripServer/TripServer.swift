import ComposableStores
import Foundation
import Hummingbird
import OpenSwiftData
import ServiceLifecycle
import TripService

/// Serves the trips of the store that `DATASTORE_URL` names on the loopback address, or with `TENANTS`
/// those of the tenants in the PostgreSQL database that it names.
@main
struct TripServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let store = environment["DATASTORE_URL"] ?? "sqlite:trips.db"
    let instruments = environment["LOG_STORE"].map { _ in StoreInstruments() }
    guard environment["TENANTS"] == nil else {
      let libraries = try TenantLibraries(url: store, instruments: instruments)
      return try await serve(libraries.router(), environment)
    }
    let configuration = try StoreScheme.configuration(for: store)
    let container = try ModelContainer(
      for: TripLibrary.schema,
      configurations: instruments.map { try configuration.intercepted(by: $0) } ?? configuration
    )
    let router = TripLibrary(container).router(isTraced: instruments != nil)
    try await serve(router, environment, after: [StoreService(container)])
  }

  /// Serves requests until the process is told to end; then the services end in reverse order.
  private static func serve(
    _ router: Router<BasicRequestContext>,
    _ environment: [String: String],
    after services: [any Service] = []
  ) async throws {
    let port = environment["PORT"].flatMap(Int.init) ?? 8080
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      services: services
    )
    try await application.runService()
  }
}
