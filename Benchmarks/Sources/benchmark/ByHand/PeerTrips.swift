import Foundation
import GRDB

/// The trips as GRDB's own documentation has records and associations.
struct PeerTrip: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "trip"
  static let items = hasMany(PeerBucketItem.self, key: "items")
  static let accommodation = hasOne(PeerAccommodation.self, key: "accommodation")

  var id: Int
  var name: String
  var destination: String
  var start: Double
  var end: Double

  /// Everything by associations: one query for trips and places to stay, one for the items.
  static func all(_ database: Database) throws -> [PeerTripDetails] {
    try including(all: items.order(Column("id"))).including(optional: accommodation)
      .order(Column("id"))
      .asRequest(of: PeerTripDetails.self)
      .fetchAll(database)
  }

  /// Everything by two queries for each trip.
  static func oneByOne(_ database: Database) throws -> [PeerTripDetails] {
    try order(Column("id")).fetchAll(database).map { trip in
      PeerTripDetails(
        trip: trip,
        items: try trip.request(for: items).order(Column("id")).fetchAll(database),
        accommodation: try trip.request(for: accommodation).fetchOne(database)
      )
    }
  }
}

struct PeerBucketItem: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "bucketItem"

  var id: Int?
  var title: String
  var position: Int
  var tripID: Int
}

struct PeerAccommodation: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "accommodation"

  var id: Int?
  var name: String
  var address: String
  var tripID: Int
}

/// A trip with what belongs to it.
struct PeerTripDetails: Decodable, FetchableRecord {
  var trip: PeerTrip
  var items: [PeerBucketItem]
  var accommodation: PeerAccommodation?
}

extension PeerTripDetails {
  init(_ record: TripRecord, id: Int) {
    trip = PeerTrip(
      id: id,
      name: record.name,
      destination: record.destination,
      start: record.start.timeIntervalSinceReferenceDate,
      end: record.end.timeIntervalSinceReferenceDate
    )
    items = record.items.map {
      PeerBucketItem(title: $0.title, position: $0.position, tripID: id)
    }
    accommodation = PeerAccommodation(
      name: record.accommodation.name,
      address: record.accommodation.address,
      tripID: id
    )
  }
}

extension TripRecord {
  init(_ details: PeerTripDetails) {
    self.init(
      name: details.trip.name,
      destination: details.trip.destination,
      start: Date(timeIntervalSinceReferenceDate: details.trip.start),
      end: Date(timeIntervalSinceReferenceDate: details.trip.end),
      items: details.items.map { Item(title: $0.title, position: $0.position) },
      accommodation: Accommodation(
        name: details.accommodation?.name ?? "",
        address: details.accommodation?.address ?? ""
      )
    )
  }
}
