import Foundation
import OpenSwiftData

/// A trip with ten things to do and an accommodation, as a model of the engine.
@Model
final class Trip {
  var name: String
  var destination: String
  var start: Date
  var end: Date
  @Relationship(deleteRule: .cascade, inverse: \BucketItem.trip) var items: [BucketItem] = []
  @Relationship(deleteRule: .cascade, inverse: \Accommodation.trip)
  var accommodation: Accommodation?

  init(_ record: TripRecord) {
    name = record.name
    destination = record.destination
    start = record.start
    end = record.end
    items = record.items.map { BucketItem($0) }
    accommodation = Accommodation(record.accommodation)
  }
}

/// One thing to do on a trip.
@Model
final class BucketItem {
  var title: String
  var position: Int
  var trip: Trip?

  init(_ record: TripRecord.Item) {
    title = record.title
    position = record.position
  }
}

/// Where a traveller stays.
@Model
final class Accommodation {
  var name: String
  var address: String
  var trip: Trip?

  init(_ record: TripRecord.Accommodation) {
    name = record.name
    address = record.address
  }
}

/// The values of a trip and of what belongs to it, which follow from its number alone.
struct TripRecord {
  struct Item {
    var title: String
    var position: Int
  }

  struct Accommodation {
    var name: String
    var address: String
  }

  /// How many items each trip has.
  static let itemCount = 10
  private static let cities = ["Oslo", "København", "Paris", "Reykjavík", "Wien", "Zürich"]

  var name: String
  var destination: String
  var start: Date
  var end: Date
  var items: [Item]
  var accommodation: Accommodation

  /// The first trips.
  static func first(_ count: Int) -> [TripRecord] {
    (0..<count).map { index in
      let start = Date(timeIntervalSinceReferenceDate: Double(700_000_000 + index * 86_400))
      return TripRecord(
        name: "trip \(index)",
        destination: cities[index % cities.count],
        start: start,
        end: start + 7 * 86_400,
        items: (0..<itemCount).map { Item(title: "thing \($0) of \(index)", position: $0) },
        accommodation: Accommodation(
          name: "hotel \(index)",
          address: "\(index) Main Street, \(cities[index % cities.count])"
        )
      )
    }
  }
}

/// A trip as a class instance with references to what belongs to it, and nothing else.
final class PlainTrip {
  let id: Int
  let name: String
  let destination: String
  let start: Date
  let end: Date
  var items: [PlainBucketItem] = []
  var accommodation: PlainAccommodation?

  init(id: Int, name: String, destination: String, start: Date, end: Date) {
    self.id = id
    self.name = name
    self.destination = destination
    self.start = start
    self.end = end
  }
}

final class PlainBucketItem {
  let title: String
  let position: Int

  init(title: String, position: Int) {
    self.title = title
    self.position = position
  }
}

final class PlainAccommodation {
  let name: String
  let address: String

  init(name: String, address: String) {
    self.name = name
    self.address = address
  }
}

extension Digest {
  /// The digest of trips with all that belongs to them, items in their order.
  static func of(_ trips: [TripRecord]) -> UInt64 {
    var digest = Digest()
    for trip in trips {
      digest.add(trip.name)
      digest.add(trip.destination)
      digest.add(trip.start.timeIntervalSinceReferenceDate.bitPattern)
      digest.add(trip.end.timeIntervalSinceReferenceDate.bitPattern)
      for item in trip.items {
        digest.add(item.title)
        digest.add(item.position)
      }
      digest.add(trip.accommodation.name)
      digest.add(trip.accommodation.address)
    }
    return digest.value
  }
}

extension TripRecord {
  init(_ trip: Trip) {
    self.init(
      name: trip.name,
      destination: trip.destination,
      start: trip.start,
      end: trip.end,
      items: trip.items.map { Item(title: $0.title, position: $0.position) },
      accommodation: Accommodation(
        name: trip.accommodation?.name ?? "",
        address: trip.accommodation?.address ?? ""
      )
    )
  }

  init(_ trip: PlainTrip) {
    self.init(
      name: trip.name,
      destination: trip.destination,
      start: trip.start,
      end: trip.end,
      items: trip.items.map { Item(title: $0.title, position: $0.position) },
      accommodation: Accommodation(
        name: trip.accommodation?.name ?? "",
        address: trip.accommodation?.address ?? ""
      )
    )
  }
}
