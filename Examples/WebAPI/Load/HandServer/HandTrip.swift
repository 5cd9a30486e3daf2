import Foundation
import Hummingbird

/// A trip as JSON.
struct HandTrip: ResponseCodable, Sendable {
  struct Item: Codable, Sendable {
    var title: String
    var details: String
    var hasReservation: Bool
    var isInPlan: Bool
  }

  struct Stay: Codable, Sendable {
    var address: String
    var placeName: String
    var isConfirmed: Bool
  }

  var id: Int64?
  var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
  var hasNews: Bool?
  var bucketList: [Item]?
  var livingAccommodation: Stay?
}

/// Some of the trips, with the number of all.
struct HandPage: ResponseEncodable, Sendable {
  let total: Int
  let trips: [HandTrip]
}
