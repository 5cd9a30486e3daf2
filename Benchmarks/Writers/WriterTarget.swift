import Foundation
import GRDB
import OpenSwiftData

/// A store that writers share.
protocol WriterTarget: Sendable {
  var name: String { get }
  /// Saves one object, which is durable when the method returns.
  func save(_ number: Int) async throws
  /// The number of objects.
  func count() throws -> Int
}

@Model
final class Entry {
  var number: Int
  var text: String
  var created: Date

  init(number: Int, text: String) {
    self.number = number
    self.text = text
    created = Date()
  }

  /// The text of an entry.
  static func text(_ number: Int) -> String { "The entry with the number \(number) of a writer" }
}

/// A store of the engine, whose saves are background tasks.
struct StoreTarget: WriterTarget {
  let name: String
  private let container: ModelContainer

  init(_ name: String, _ url: String) throws {
    self.name = name
    container = try ModelContainer(for: Schema([Entry.self]), store: url)
  }

  func save(_ number: Int) async throws {
    try await container.performBackgroundTask { context in
      context.insert(Entry(number: number, text: Entry.text(number)))
      try context.save()
    }
  }

  func count() throws -> Int { try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) }
}

/// GRDB's pool, which commits one write after the other.
struct PoolTarget: WriterTarget {
  let name = "GRDB DatabasePool"
  private let pool: DatabasePool

  init(_ path: String) throws {
    pool = try DatabasePool(path: path)
    // With the write-ahead log, which a pool has, the library relaxes this when it opens the file,
    // after what a configuration prepares.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try pool.write { database in
      try database.execute(
        sql: "CREATE TABLE entry(id INTEGER PRIMARY KEY, number INTEGER, text TEXT, created REAL)"
      )
    }
  }

  func save(_ number: Int) async throws {
    try await pool.write { database in
      let statement = try database.cachedStatement(
        sql: "INSERT INTO entry(number, text, created) VALUES (?, ?, ?)"
      )
      let created = Date().timeIntervalSinceReferenceDate
      try statement.execute(arguments: [number, Entry.text(number), created])
    }
  }

  func count() throws -> Int {
    try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") ?? 0 }
  }
}
