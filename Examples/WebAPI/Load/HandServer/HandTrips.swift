import Dispatch
import Foundation
import Synchronization

/// The trips of a database: one connection writes, and others read beside it.
final class HandTrips: Sendable {
  private let path: String
  private let readers = Mutex<[HandReader]>([])
  private let writer: Mutex<HandWriter>
  private let queue = DispatchQueue(label: "HandTrips")

  init(_ path: String) throws {
    self.path = path
    writer = Mutex(try HandWriter(path))
  }

  func page(offset: Int, limit: Int) throws -> HandPage {
    try read { try $0.page(offset: offset, limit: limit) }
  }

  func trip(_ id: Int64) throws -> HandTrip? { try read { try $0.trip(id) } }

  func add(_ trip: HandTrip) async throws -> HandTrip { try await write { try $0.add(trip) } }

  func remove(_ id: Int64) async throws -> Bool { try await write { try $0.remove(id) } }

  /// Reads with a connection that nobody else uses meanwhile.
  private func read<Value>(_ body: (HandReader) throws -> Value) throws -> Value {
    let reader = try readers.withLock { $0.popLast() } ?? HandReader(path)
    defer { readers.withLock { $0.append(reader) } }
    return try body(reader)
  }

  /// Writes on a thread that may wait.
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (HandWriter) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result { try self.writer.withLock { try body($0) } })
      }
    }
  }
}

/// The questions, each a prepared statement.
final class HandReader: @unchecked Sendable {
  // Unchecked: one at a time has it.
  private static let columns = "id, name, destination, startDate, endDate, hasNews"
  private let one: HandStatement
  private let some: HandStatement
  private let count: HandStatement
  private let items: HandStatement
  private let stays: HandStatement

  convenience init(_ path: String) throws { try self.init(HandDatabase(path)) }

  init(_ database: HandDatabase) throws {
    one = try database.prepare("SELECT \(Self.columns) FROM trip WHERE id = ?")
    some = try database.prepare(
      "SELECT \(Self.columns) FROM trip ORDER BY startDate, name LIMIT ? OFFSET ?"
    )
    count = try database.prepare("SELECT count(*) FROM trip")
    items = try database.prepare(
      "SELECT title, details, hasReservation, isInPlan FROM item WHERE trip = ? ORDER BY id"
    )
    stays = try database.prepare(
      "SELECT address, placeName, isConfirmed FROM stay WHERE trip = ?"
    )
  }

  func page(offset: Int, limit: Int) throws -> HandPage {
    var trips: [HandTrip] = []
    some.bind(Int64(limit), at: 1)
    some.bind(Int64(offset), at: 2)
    while try some.step() { trips.append(some.trip()) }
    for index in trips.indices { try complete(&trips[index]) }
    var total = 0
    while try count.step() { total = Int(count.integer(0)) }
    return HandPage(total: total, trips: trips)
  }

  func trip(_ id: Int64) throws -> HandTrip? {
    var found: HandTrip?
    one.bind(id, at: 1)
    while try one.step() { found = one.trip() }
    guard var found else { return nil }
    try complete(&found)
    return found
  }

  private func complete(_ trip: inout HandTrip) throws {
    guard let id = trip.id else { return }
    var list: [HandTrip.Item] = []
    items.bind(id, at: 1)
    while try items.step() { list.append(items.item()) }
    trip.bucketList = list
    stays.bind(id, at: 1)
    while try stays.step() { trip.livingAccommodation = stays.stay() }
  }
}

/// The changes, each in a transaction.
final class HandWriter: @unchecked Sendable {
  // Unchecked: used under a lock.
  private let database: HandDatabase
  private let reader: HandReader
  private let trip: HandStatement
  private let item: HandStatement
  private let stay: HandStatement
  private let clear: [HandStatement]
  private let removal: HandStatement

  init(_ path: String) throws {
    let database = try HandDatabase(path)
    try database.createTables()
    self.database = database
    reader = try HandReader(database)
    trip = try database.prepare(
      """
      INSERT INTO trip (name, destination, startDate, endDate, hasNews) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (name, startDate, endDate) DO UPDATE
      SET destination = excluded.destination, hasNews = excluded.hasNews RETURNING id
      """
    )
    item = try database.prepare(
      "INSERT INTO item (title, details, hasReservation, isInPlan, trip) VALUES (?, ?, ?, ?, ?)"
    )
    stay = try database.prepare(
      "INSERT INTO stay (address, placeName, isConfirmed, trip) VALUES (?, ?, ?, ?)"
    )
    clear = try ["item", "stay"].map { try database.prepare("DELETE FROM \($0) WHERE trip = ?") }
    removal = try database.prepare("DELETE FROM trip WHERE id = ? RETURNING id")
  }

  func add(_ new: HandTrip) throws -> HandTrip {
    let id = try database.transaction {
      trip.bind(new)
      var id: Int64 = 0
      while try trip.step() { id = trip.integer(0) }
      try clearMembers(of: id)
      for one in new.bucketList ?? [] {
        item.bind(one, of: id)
        _ = try item.step()
      }
      if let accommodation = new.livingAccommodation {
        stay.bind(accommodation, of: id)
        _ = try stay.step()
      }
      return id
    }
    guard let added = try reader.trip(id) else { throw HandError("the new trip is not there") }
    return added
  }

  func remove(_ id: Int64) throws -> Bool {
    try database.transaction {
      try clearMembers(of: id)
      removal.bind(id, at: 1)
      var isFound = false
      while try removal.step() { isFound = true }
      return isFound
    }
  }

  private func clearMembers(of id: Int64) throws {
    for statement in clear {
      statement.bind(id, at: 1)
      _ = try statement.step()
    }
  }
}
