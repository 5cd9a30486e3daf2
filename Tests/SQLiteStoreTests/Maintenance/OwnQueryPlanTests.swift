import Foundation
import SQLiteStore
import StoreProtocol
import Testing

/// The queries of Documentation/SQLiteFormat.md, and the store's own lookups.
@Suite("A documented query")
struct OwnQueryPlanTests {
  private func steps(_ sql: String, _ schema: StoreSchema, _ values: SQLValue...) throws -> String {
    let store = try SQLiteStore.inMemory(schema)
    return try store.withConnection {
      var steps: [String] = []
      try $0.forEachRow("EXPLAIN QUERY PLAN " + sql, values: values) {
        steps.append($0["detail"]?.textValue ?? "")
      }
      return steps.joined(separator: "; ")
    }
  }

  @Test func `finds rows with files by their index`() throws {
    let sql = "SELECT _key, photo ->> '$.$file' FROM Picture WHERE typeof(photo) = 'text'"
    #expect(
      try steps(sql, FileSample.schema).contains("USING COVERING INDEX files Picture(photo)")
    )
    let own = "SELECT photo FROM Picture WHERE typeof(photo) = 'text'"
    #expect(
      try steps(own, FileSample.schema).contains("USING COVERING INDEX files Picture(photo)")
    )
  }

  @Test func `finds words by the full-text index, and rows by its keys`() throws {
    let sql =
      "SELECT _key FROM Note WHERE _key IN (SELECT rowid FROM \"words Note(title)\""
      + " WHERE \"words Note(title)\" MATCH '\"hot spring\"')"
    let plan = try steps(sql, SearchSample.schema)
    #expect(plan.contains("SEARCH Note USING INTEGER PRIMARY KEY (rowid=?)"))
    #expect(plan.contains("SCAN words Note(title) VIRTUAL TABLE INDEX"))
  }

  @Test func `finds a row of unique values by the index of its constraint`() throws {
    let lookup = try #require(try SQLiteStore.lookup(SampleSchema.store, "Tag"))
    #expect(
      try steps(lookup, SampleSchema.store, "a")
        == "SEARCH Tag USING COVERING INDEX unique Tag(name) (name=?)"
    )
  }

  @Test(arguments: [
    ("SELECT member FROM \"Trip.tags\" WHERE owner = 1 ORDER BY position", "PRIMARY KEY (owner=?)"),
    ("SELECT owner FROM \"Trip.tags\" WHERE member = 1", "COVERING INDEX Trip.tags(member)"),
    ("SELECT _key FROM Item WHERE trip = 1", "COVERING INDEX Item(trip) (trip=?)"),
    ("SELECT name FROM Trip WHERE start > 1 ORDER BY start", "INDEX Trip(start) (start>?)"),
  ])
  func `finds related objects and rows by their indexes`(sql: String, step: String) throws {
    let plan = try steps(sql, SampleSchema.store)
    #expect(plan.contains(step), "\(plan)")
    #expect(!plan.contains("B-TREE"), "\(plan)")
  }
}
