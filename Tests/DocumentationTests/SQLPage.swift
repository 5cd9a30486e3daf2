import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `SQL statements in the guides` {
  @Test func `read a SQLite store`() throws {
    let folder = try TemporaryFolder()
    let configuration = SQLiteStoreConfiguration(url: folder.file("trips.db"))
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    try SampleTrips.fill(container)
    #expect(try Self.places(container) == ["Bern", "Flåm", "Zermatt"])
  }

  static func places(_ container: ModelContainer) throws -> [String] {
    let print = Printed()
    // snippet.raw-sql
    for case let store as SQLiteStore in container.stores {
      try store.withConnection { connection in
        let sql = "SELECT place FROM Stop WHERE nights > ? ORDER BY place"
        for row in try connection.rows(sql, 1) {
          print(row["place"]?.textValue ?? "")
        }
      }
    }
    // snippet.end
    return print.lines
  }
}
