import Foundation
import Hummingbird

/// The requests of `TripServer`, written by hand on SQLite's C interface for these three tables and
/// nothing else: what `Scripts/test-load` compares with.
@main
struct HandServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let port = environment["PORT"].flatMap(Int.init) ?? 8080
    let trips = try HandTrips(environment["DATABASE"] ?? "trips.db")
    let router = Router()
    router.get("healthz") { _, _ in HTTPResponse.Status.ok }
    router.get("trips") { request, _ in
      try trips.page(
        offset: request.uri.queryParameters.get("offset", as: Int.self) ?? 0,
        limit: request.uri.queryParameters.get("limit", as: Int.self) ?? 20
      )
    }
    router.get("trips/:id") { _, context in
      guard let trip = try trips.trip(context.parameters.require("id", as: Int64.self)) else {
        throw HTTPError(.notFound)
      }
      return trip
    }
    router.post("trips") { request, context in
      let trip = try await request.decode(as: HandTrip.self, context: context)
      let added = try await trips.add(trip)
      let headers: HTTPFields = [.location: "/trips/\(added.id ?? 0)"]
      return EditedResponse(status: .created, headers: headers, response: added)
    }
    router.delete("trips/:id") { _, context in
      guard try await trips.remove(context.parameters.require("id", as: Int64.self)) else {
        throw HTTPError(.notFound)
      }
      return HTTPResponse.Status.noContent
    }
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    )
    try await application.runService()
  }
}
