import Foundation
import GRDB

/// GRDB on the database that is filled by hand.
enum PeerDatabase {
  /// One connection with a write-ahead log whose every commit is synced.
  static func queue(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // With the write-ahead log the library relaxes this.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return queue
  }

  /// The objects of a statement, each read by the numbers of its columns.
  static func items(
    _ database: Database,
    _ sql: String,
    arguments: StatementArguments = StatementArguments()
  ) throws -> [PlainItem] {
    let statement = try database.cachedStatement(sql: sql)
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    var items: [PlainItem] = []
    while let row = try rows.next() {
      items.append(PlainItem(row))
    }
    return items
  }
}

extension PlainItem {
  convenience init(_ row: Row) {
    self.init(
      id: row[0],
      number: row[1],
      group: row[2],
      rank: row[3],
      price: row[4],
      weight: row[5],
      name: row[6],
      city: row[7],
      note: row[8],
      created: Date(timeIntervalSinceReferenceDate: row[9])
    )
  }
}

/// The record as GRDB's own documentation has records: a Codable value.
struct PeerRecord: Fields, Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"

  var id: Int
  var number: Int
  var group: Int
  var rank: Int
  var price: Double
  var weight: Double
  var name: String
  var city: String
  var note: String
  private var seconds: Double

  enum CodingKeys: String, CodingKey {
    case id, number, group, rank, price, weight, name, city, note
    case seconds = "created"
  }

  var created: Date { Date(timeIntervalSinceReferenceDate: seconds) }

  init(_ record: Record) {
    id = record.id
    number = record.number
    group = record.group
    rank = record.rank
    price = record.price
    weight = record.weight
    name = record.name
    city = record.city
    note = record.note
    seconds = record.created.timeIntervalSinceReferenceDate
  }
}
