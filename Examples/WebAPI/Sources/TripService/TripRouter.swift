import Hummingbird
import OpenSwiftData

extension TripLibrary {
  /// How many trips a page has where nothing is said, and at the most.
  private static let limits = (standard: 20, greatest: 100)

  /// The routes under `/trips`, and `/healthz`.
  public func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: StoreErrors())
    // Asks no store, so that it is answered whatever the store waits for.
    router.get("healthz") { _, _ in HTTPResponse.Status.ok }
    router.get("trips") { request, _ in
      let offset = try Self.number("offset", of: request) ?? 0
      let limit = try Self.number("limit", of: request) ?? Self.limits.standard
      return try page(offset: offset, limit: min(limit, Self.limits.greatest))
    }
    router.get("trips/:id") { _, context in
      guard let trip = try trip(Self.key(context)) else { throw HTTPError(.notFound) }
      return trip
    }
    router.post("trips") { request, context in
      let snapshot = try await request.decode(as: ModelSnapshot<Trip>.self, context: context)
      let added = try await add(snapshot)
      let headers: HTTPFields = [.location: "/trips/\(added.id)"]
      return EditedResponse(status: .created, headers: headers, response: added)
    }
    router.delete("trips/:id") { _, context in
      guard try await remove(Self.key(context)) else { throw HTTPError(.notFound) }
      return HTTPResponse.Status.noContent
    }
    return router
  }

  /// An integer parameter of the query, or `nil` if there is none.
  private static func number(_ name: String, of request: Request) throws -> Int? {
    guard let text = request.uri.queryParameters.get(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw HTTPError(.badRequest, message: "\(name) must be an integer of at least 0, not \(text)")
    }
    return number
  }

  private static func key(_ context: BasicRequestContext) throws -> Int64 {
    let text = context.parameters.get("id") ?? ""
    guard let key = Int64(text) else {
      throw HTTPError(.badRequest, message: "the key of a trip is an integer, not \(text)")
    }
    return key
  }
}

extension TripCopy: ResponseEncodable {}
extension TripLibrary.Page: ResponseEncodable {}

/// Answers the errors of a store with the statuses that they mean.
private struct StoreErrors: RouterMiddleware {
  func handle(
    _ request: Request,
    context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as DataStoreError {
      throw HTTPError(error.status, message: "\(error)")
    } catch let error as SwiftDataError {
      throw HTTPError(.badRequest, message: "\(error)")
    }
  }
}

extension DataStoreError {
  /// The status of an answer that the error stands in the way of.
  fileprivate var status: HTTPResponse.Status {
    switch code {
    case .invalidValue: .badRequest
    case .uniqueConflict, .conflict, .deletionDenied: .conflict
    case .storeReadOnly: .methodNotAllowed
    case .storeBusy, .outcomeUnknown: .serviceUnavailable
    default: .internalServerError
    }
  }
}
