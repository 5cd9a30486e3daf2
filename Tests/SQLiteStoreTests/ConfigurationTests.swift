import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A configuration of a SQLite store")
struct ConfigurationTests {
  private static let url = URL(filePath: "/tmp/a.db")
  private static let first = SQLiteStoreConfiguration(schema: Schema(), url: url)

  @Test func `equals its copies, but not one with another path`() {
    let copy = Self.first
    #expect(copy == Self.first)
    #expect(copy.hashValue == Self.first.hashValue)
    let other = SQLiteStoreConfiguration(schema: Self.first.schema, url: URL(filePath: "/tmp/b.db"))
    #expect(other != Self.first)
  }

  @Test func `in memory equals only its copies`() {
    let first = SQLiteStoreConfiguration.inMemory(schema: Self.first.schema)
    let copy = first
    #expect(copy == first)
    #expect(SQLiteStoreConfiguration.inMemory(schema: Self.first.schema) != first)
  }

  @Test(
    arguments: [
      { $0.busyTimeout = 9 }, { $0.externalStorageThreshold = 7 },
      { $0.maximumExternalValueSize = 7 }, { $0.history = HistoryOptions(.values) },
      { $0.schema = nil },
    ] as [@Sendable (inout SQLiteStoreConfiguration) -> Void]
  )
  func `is not equal to one with another setting`(
    _ change: @Sendable (inout SQLiteStoreConfiguration) -> Void
  ) {
    var other = Self.first
    change(&other)
    #expect(other != Self.first)
  }
}
