import ComposableStores
import Foundation
import Hummingbird
import Logging
import Metrics
import OpenSwiftData
import TripService

/// Serves the trips of the store that `DATASTORE_URL` names, on the loopback address.
@main
struct TripServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let store = environment["DATASTORE_URL"] ?? "sqlite:trips.db"
    let port = environment["PORT"].flatMap(Int.init) ?? 8080
    let configuration = try StoreScheme.configuration(for: store)
    let container = try ModelContainer(
      for: TripLibrary.schema,
      configurations: environment["LOG_STORE"] == nil ? configuration : watched(configuration)
    )
    let application = Application(
      router: TripLibrary(container).router(),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    )
    try await application.runService()
    try container.close()
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
