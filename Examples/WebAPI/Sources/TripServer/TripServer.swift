import Foundation
import Hummingbird
import OpenSwiftData
import TripService

/// Serves the trips of the store that `DATASTORE_URL` names, on the loopback address.
@main
struct TripServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let store = environment["DATASTORE_URL"] ?? "sqlite:trips.db"
    let port = environment["PORT"].flatMap(Int.init) ?? 8080
    let container = try ModelContainer(for: TripLibrary.schema, store: store)
    let application = Application(
      router: TripLibrary(container).router(),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    )
    try await application.runService()
  }
}
