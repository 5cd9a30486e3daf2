import Foundation

/// The trips by hand: three tables with foreign keys, read by three queries in the order of the trips.
extension RawDatabase {
  static let tripColumns = "id, name, destination, start, \"end\""

  func createTrips() throws {
    try execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE trip (id INTEGER PRIMARY KEY, name TEXT, destination TEXT, start REAL, "end" REAL);
      CREATE TABLE bucketItem (id INTEGER PRIMARY KEY, title TEXT, position INTEGER,
        tripID INTEGER REFERENCES trip(id) ON DELETE CASCADE);
      CREATE TABLE accommodation (id INTEGER PRIMARY KEY, name TEXT, address TEXT,
        tripID INTEGER REFERENCES trip(id) ON DELETE CASCADE);
      CREATE INDEX bucketItem_trip ON bucketItem(tripID);
      CREATE INDEX accommodation_trip ON accommodation(tripID)
      """
    )
  }

  /// Writes trips with all that belongs to them in one transaction.
  func insert(_ trips: [TripRecord]) throws {
    let trip = try statement("INSERT INTO trip (\(Self.tripColumns)) VALUES (?, ?, ?, ?, ?)")
    let item = try statement("INSERT INTO bucketItem (title, position, tripID) VALUES (?, ?, ?)")
    let accommodation = try statement(
      "INSERT INTO accommodation (name, address, tripID) VALUES (?, ?, ?)"
    )
    try transaction {
      for (index, record) in trips.enumerated() {
        trip.bind(index + 1, at: 1)
        trip.bind(record.name, at: 2)
        trip.bind(record.destination, at: 3)
        trip.bind(record.start.timeIntervalSinceReferenceDate, at: 4)
        trip.bind(record.end.timeIntervalSinceReferenceDate, at: 5)
        guard trip.run() else { throw failure("INSERT") }
        for one in record.items {
          item.bind(one.title, at: 1)
          item.bind(one.position, at: 2)
          item.bind(index + 1, at: 3)
          guard item.run() else { throw failure("INSERT") }
        }
        accommodation.bind(record.accommodation.name, at: 1)
        accommodation.bind(record.accommodation.address, at: 2)
        accommodation.bind(index + 1, at: 3)
        guard accommodation.run() else { throw failure("INSERT") }
      }
    }
  }

  /// All trips with all that belongs to them.
  func trips() throws -> [PlainTrip] {
    let head = try statement("SELECT \(Self.tripColumns) FROM trip ORDER BY id")
    var trips: [PlainTrip] = []
    while head.step() { trips.append(head.trip()) }
    // Both come in the order of the trips, so that one walk along them finds every owner.
    let items = try statement(
      "SELECT tripID, title, position FROM bucketItem ORDER BY tripID, id"
    )
    var next = 0
    while items.step() {
      let owner = items.integer(0)
      while trips[next].id != owner { next += 1 }
      trips[next].items.append(PlainBucketItem(title: items.text(1), position: items.integer(2)))
    }
    let accommodations = try statement(
      "SELECT tripID, name, address FROM accommodation ORDER BY tripID"
    )
    next = 0
    while accommodations.step() {
      let owner = accommodations.integer(0)
      while trips[next].id != owner { next += 1 }
      trips[next].accommodation = PlainAccommodation(
        name: accommodations.text(1),
        address: accommodations.text(2)
      )
    }
    return trips
  }
}

/// Reads trips one by one with statements that are prepared once.
struct RawTripReader: ~Copyable {
  private let head: RawStatement
  private let items: RawStatement
  private let accommodations: RawStatement

  init(_ database: RawDatabase) throws {
    let head = try database.statement("SELECT \(RawDatabase.tripColumns) FROM trip WHERE id = ?")
    let items = try database.statement(
      "SELECT title, position FROM bucketItem WHERE tripID = ? ORDER BY id"
    )
    let accommodations = try database.statement(
      "SELECT name, address FROM accommodation WHERE tripID = ?"
    )
    self.head = head
    self.items = items
    self.accommodations = accommodations
  }

  /// The trip of a key with all that belongs to it.
  func trip(_ id: Int) throws -> PlainTrip {
    head.bind(id, at: 1)
    guard head.step() else { throw BenchmarkError("there is no trip \(id)") }
    let trip = head.trip()
    head.reset()
    items.bind(id, at: 1)
    while items.step() {
      trip.items.append(PlainBucketItem(title: items.text(0), position: items.integer(1)))
    }
    items.reset()
    accommodations.bind(id, at: 1)
    if accommodations.step() {
      trip.accommodation = PlainAccommodation(
        name: accommodations.text(0),
        address: accommodations.text(1)
      )
    }
    accommodations.reset()
    return trip
  }
}

extension RawStatement {
  /// The trip of the current row of ``RawDatabase/tripColumns``.
  fileprivate func trip() -> PlainTrip {
    PlainTrip(
      id: integer(0),
      name: text(1),
      destination: text(2),
      start: Date(timeIntervalSinceReferenceDate: double(3)),
      end: Date(timeIntervalSinceReferenceDate: double(4))
    )
  }
}
