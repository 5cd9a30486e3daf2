import OpenSwiftData

/// Something that people ask about flights.
struct Question: Sendable {
  let title: String
  let answer: @Sendable (ModelContext) throws -> Answer

  init(_ title: String, _ answer: @escaping @Sendable (ModelContext) throws -> Answer) {
    self.title = title
    self.answer = answer
  }

  static let all: [Question] = [
    latestDepartures, busiestPlanes, oldPlanesInBadWeather, unvisitedAirports, longestChain,
    cancellations, unlistedAirports, madeUpTime, namedAirports, unregisteredPlanes, lateEvening,
    routeToLosAngeles, carriersToHonolulu, loneCarrier, worstWeather,
  ]
}
