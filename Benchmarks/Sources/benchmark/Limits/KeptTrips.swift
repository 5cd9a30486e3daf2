import Foundation

/// A trip as an object of a context, by hand.
final class KeptTrip {
  fileprivate(set) var state: KeptState
  let name: String
  let destination: String
  let start: Date
  let end: Date
  fileprivate(set) var items: [KeptBucketItem] = []
  fileprivate(set) var accommodation: KeptAccommodation?

  fileprivate init(_ row: borrowing RawStatement, _ context: KeptContext) throws {
    state = KeptState(context: context, key: row.integer(0), version: row.integer(1))
    name = try row.checkedText(2)
    destination = try row.checkedText(3)
    start = Date(timeIntervalSinceReferenceDate: try row.checkedDouble(4))
    end = Date(timeIntervalSinceReferenceDate: try row.checkedDouble(5))
  }

  /// A new trip with all that belongs to it.
  init(_ record: TripRecord, _ context: KeptContext) {
    state = KeptState(context: context, key: 0, version: 0)
    name = record.name
    destination = record.destination
    start = record.start
    end = record.end
    items = record.items.map { KeptBucketItem($0, context) }
    accommodation = KeptAccommodation(record.accommodation, context)
  }

  deinit { state.context.trips.remove(state.key) }

  /// Has the next save insert the trip, and those who belong to it know that they do.
  func insert() {
    state.context.inserted.append(self)
    for item in items { item.trip = self }
    accommodation?.trip = self
  }
}

/// One thing to do on a trip.
final class KeptBucketItem {
  fileprivate(set) var state: KeptState
  let title: String
  let position: Int
  fileprivate unowned(unsafe) var trip: KeptTrip?

  fileprivate init(_ row: borrowing RawStatement, _ context: KeptContext) throws {
    state = KeptState(context: context, key: row.integer(1), version: row.integer(2))
    title = try row.checkedText(3)
    position = try row.checkedInteger(4)
  }

  fileprivate init(_ record: TripRecord.Item, _ context: KeptContext) {
    state = KeptState(context: context, key: 0, version: 0)
    title = record.title
    position = record.position
  }

  deinit { state.context.bucketItems.remove(state.key) }
}

/// Where a traveller stays.
final class KeptAccommodation {
  fileprivate(set) var state: KeptState
  let name: String
  let address: String
  fileprivate unowned(unsafe) var trip: KeptTrip?

  fileprivate init(_ row: borrowing RawStatement, _ context: KeptContext) throws {
    state = KeptState(context: context, key: row.integer(1), version: row.integer(2))
    name = try row.checkedText(3)
    address = try row.checkedText(4)
  }

  fileprivate init(_ record: TripRecord.Accommodation, _ context: KeptContext) {
    state = KeptState(context: context, key: 0, version: 0)
    name = record.name
    address = record.address
  }

  deinit { state.context.accommodations.remove(state.key) }
}

extension KeptStore {
  /// All trips with all that belongs to them, both ends of each relationship in agreement.
  func trips(in context: KeptContext) throws -> [KeptTrip] {
    var trips: [KeptTrip] = []
    let heads = try database.statement(
      "SELECT _key, _version, name, destination, start, \"end\" FROM \"Trip\" ORDER BY _key"
    )
    while try heads.checkedStep() {
      let trip = try KeptTrip(heads, context)
      context.trips.add(trip, trip.state.key)
      trips.append(trip)
    }
    try readItems(of: trips, context)
    try readAccommodations(of: trips, context)
    return trips
  }

  private func readItems(of trips: [KeptTrip], _ context: KeptContext) throws {
    let rows = try database.statement(
      "SELECT trip, _key, _version, title, position FROM \"BucketItem\" ORDER BY trip, _key"
    )
    var next = 0
    while try rows.checkedStep() {
      let owner = try rows.checkedInteger(0)
      while trips[next].state.key != owner { next += 1 }
      guard context.bucketItems[rows.integer(1)] == nil else { continue }
      let item = try KeptBucketItem(rows, context)
      context.bucketItems.add(item, item.state.key)
      item.trip = trips[next]
      trips[next].items.append(item)
    }
  }

  private func readAccommodations(of trips: [KeptTrip], _ context: KeptContext) throws {
    let rows = try database.statement(
      "SELECT trip, _key, _version, name, address FROM \"Accommodation\" ORDER BY trip, _key"
    )
    var next = 0
    while try rows.checkedStep() {
      let owner = try rows.checkedInteger(0)
      while trips[next].state.key != owner { next += 1 }
      guard context.accommodations[rows.integer(1)] == nil else { continue }
      let place = try KeptAccommodation(rows, context)
      context.accommodations.add(place, place.state.key)
      place.trip = trips[next]
      trips[next].accommodation = place
    }
  }

  /// Writes new trips with all that belongs to them, and has the objects know their keys.
  func insertTrips(of context: KeptContext) throws {
    let trip = try database.statement(
      """
      INSERT INTO "Trip" (_key, _version, name, destination, start, "end", accommodation)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    )
    let item = try database.statement(
      "INSERT INTO \"BucketItem\" (_key, _version, title, position, trip) VALUES (?, ?, ?, ?, ?)"
    )
    let place = try database.statement(
      "INSERT INTO \"Accommodation\" (_key, _version, name, address, trip) VALUES (?, ?, ?, ?, ?)"
    )
    try save { version in
      try deal(version, to: context.inserted)
      for one in context.inserted {
        try write(one, trip)
        for each in one.items { try write(each, item) }
        if let its = one.accommodation { try write(its, place) }
      }
      let trips = context.inserted.map(\.state.key)
      let items = context.inserted.flatMap { $0.items.map(\.state.key) }
      let places = context.inserted.compactMap { $0.accommodation?.state.key }
      return Changes(
        history: """
          [{"insert":"Accommodation","keys":\(KeyRanges.text(places))},\
          {"insert":"BucketItem","keys":\(KeyRanges.text(items))},\
          {"insert":"Trip","keys":\(KeyRanges.text(trips))}]
          """,
        inserted: identifiers(trips, of: "Trip") + identifiers(items, of: "BucketItem")
          + identifiers(places, of: "Accommodation")
      )
    }
    for one in context.inserted {
      context.trips.add(one, one.state.key)
      for item in one.items { context.bucketItems.add(item, item.state.key) }
      if let place = one.accommodation { context.accommodations.add(place, place.state.key) }
    }
    context.inserted.removeAll()
  }

  private func deal(_ version: Int, to trips: [KeptTrip]) throws {
    var key = try takeKeys(trips.reduce(0) { $0 + $1.items.count + 2 })
    func next(_ state: inout KeptState) {
      state.key = key
      state.version = version
      key += 1
    }
    for trip in trips {
      next(&trip.state)
      for item in trip.items { next(&item.state) }
      if let place = trip.accommodation { next(&place.state) }
    }
  }

  private func write(_ trip: KeptTrip, _ statement: borrowing RawStatement) throws {
    statement.bind(trip.state.key, at: 1)
    statement.bind(trip.state.version, at: 2)
    statement.bind(trip.name, at: 3)
    statement.bind(trip.destination, at: 4)
    statement.bind(trip.start.timeIntervalSinceReferenceDate, at: 5)
    statement.bind(trip.end.timeIntervalSinceReferenceDate, at: 6)
    statement.bind(trip.accommodation?.state.key, at: 7)
    guard statement.run() else { throw database.failure("INSERT") }
  }

  private func write(_ item: KeptBucketItem, _ statement: borrowing RawStatement) throws {
    statement.bind(item.state.key, at: 1)
    statement.bind(item.state.version, at: 2)
    statement.bind(item.title, at: 3)
    statement.bind(item.position, at: 4)
    statement.bind(item.trip?.state.key, at: 5)
    guard statement.run() else { throw database.failure("INSERT") }
  }

  private func write(_ place: KeptAccommodation, _ statement: borrowing RawStatement) throws {
    statement.bind(place.state.key, at: 1)
    statement.bind(place.state.version, at: 2)
    statement.bind(place.name, at: 3)
    statement.bind(place.address, at: 4)
    statement.bind(place.trip?.state.key, at: 5)
    guard statement.run() else { throw database.failure("INSERT") }
  }
}

extension TripRecord {
  init(_ trip: KeptTrip) {
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
