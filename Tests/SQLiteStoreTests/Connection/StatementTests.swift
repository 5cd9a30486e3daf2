import CSQLite
import Foundation
import StoreProtocol
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("A statement")
struct StatementTests {
  private func connection(_ log: StatementLog? = nil) throws -> Connection {
    try Connection(ConnectionOptions(location: .memory, log: log))
  }

  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
  func `reads back a bound integer`(_ value: Int64) throws {
    let read = try connection().withStatement("SELECT ?") { statement in
      try statement.bind(value, at: 1)
      _ = try statement.step()
      return (statement.storage(at: 0), statement.integer(at: 0))
    }
    #expect(read == (.integer, value))
  }

  @Test(arguments: [
    0.0, -0.0, 0.1, .pi, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ])
  func `reads back a bound number bit for bit`(_ value: Double) throws {
    let bits = try connection().withStatement("SELECT ?") { statement in
      try statement.bind(value, at: 1)
      _ = try statement.step()
      return statement.real(at: 0).bitPattern
    }
    #expect(bits == value.bitPattern)
  }

  @Test(arguments: [
    "", "a", "a\0b", "\0", "e\u{301}", "é", "\u{212A}", "👩‍👩‍👧", "'; DROP TABLE x;--", "\u{FEFF}x",
  ])
  func `reads back a bound string byte for byte`(_ value: String) throws {
    let string = try connection().withStatement("SELECT ?") { statement in
      try statement.bind(value, at: 1)
      _ = try statement.step()
      #expect(statement.storage(at: 0) == .text)
      return statement.text(at: 0)
    }
    #expect(string.map { Array($0.utf8) } == Array(value.utf8))
  }

  @Test(arguments: [Data(), Data([0]), Data((0...255).map { UInt8($0) })])
  func `reads back bound data`(_ value: Data) throws {
    let data = try connection().withStatement("SELECT ?") { statement in
      try statement.bind(value, at: 1)
      _ = try statement.step()
      #expect(statement.storage(at: 0) == .blob)
      return statement.data(at: 0)
    }
    #expect(data == value)
  }

  @Test func `returns nil for text that is not Unicode`() throws {
    let string = try connection().withStatement("SELECT CAST(x'FF61' AS TEXT)") { statement in
      _ = try statement.step()
      return statement.text(at: 0)
    }
    #expect(string == nil)
  }

  @Test func `has null for an unbound parameter`() throws {
    let isNull = try connection().withStatement("SELECT ?") { statement in
      _ = try statement.step()
      return statement.isNull(at: 0)
    }
    #expect(isNull)
  }

  @Test func `clears its parameters between two uses`() throws {
    let connection = try connection()
    try connection.withStatement("SELECT ?") { try $0.bind(Int64(7), at: 1) }
    let isNull = try connection.withStatement("SELECT ?") { statement in
      _ = try statement.step()
      return statement.isNull(at: 0)
    }
    #expect(isNull)
  }

  @Test func `refuses two statements in one string`() throws {
    let connection = try connection()
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1; SELECT 2") }
  }

  @Test func `refuses a string without a statement`() throws {
    let connection = try connection()
    #expect(throws: SQLiteError.self) { try connection.prepare("") }
  }

  @Test func `refuses a parameter that it does not have`() throws {
    let connection = try connection()
    #expect(throws: SQLiteError.self) {
      try connection.withStatement("SELECT ?") { try $0.bind(Int64(1), at: 2) }
    }
  }

  @Test func `is prepared once for many uses`() throws {
    let log = StatementLog()
    let connection = try connection(log)
    log.clear()
    for value in 0..<10 {
      try connection.withStatement("SELECT ?") { statement in
        try statement.bind(Int64(value), at: 1)
        _ = try statement.step()
      }
    }
    #expect(log.counts.prepared == 1)
    #expect(log.counts.stepped == 10)
    #expect(log.counts.texts.count == 10)
  }

  @Test func `reports its begin and its end to the observer of a request`() throws {
    let connection = try connection()
    let events = Mutex<[String]>([])
    let observer = StatementObserver { sql in
      events.withLock { $0.append("begin \(sql)") }
      return { error in events.withLock { $0.append(error == nil ? "end" : "failed") } }
    }
    try StatementObserver.observing(observer) {
      for _ in 0..<2 {
        try connection.withStatement("SELECT 1 UNION ALL SELECT 2") { statement in
          while try statement.step() {}
        }
      }
      #expect(throws: SQLiteError.self) {
        try connection.withStatement("SELECT abs(?)") { statement in
          try statement.bind(Int64.min, at: 1)
          _ = try statement.step()
        }
      }
    }
    try connection.withStatement("SELECT 3") { _ = try $0.step() }
    let repeated = ["begin SELECT 1 UNION ALL SELECT 2", "end"]
    #expect(events.withLock { $0 } == repeated + repeated + ["begin SELECT abs(?)", "failed"])
  }

  @Test func `with the same SQL can run while rows of the other are read`() throws {
    let connection = try connection()
    let sql = "SELECT value FROM (SELECT 1 AS value UNION ALL SELECT 2) ORDER BY value"
    var pairs: [[Int64]] = []
    try connection.withStatement(sql) { outer in
      while try outer.step() {
        try connection.withStatement(sql) { inner in
          while try inner.step() {
            pairs.append([outer.integer(at: 0), inner.integer(at: 0)])
          }
        }
      }
    }
    #expect(pairs == [[1, 1], [1, 2], [2, 1], [2, 2]])
  }

  @Test func `that was least recently used is evicted from a full cache`() throws {
    let log = StatementLog()
    let connection = try Connection(
      ConnectionOptions(location: .memory, statementCapacity: 2, log: log)
    )
    log.clear()
    for number in [1, 2, 1, 3, 1, 2] {
      try connection.withStatement("SELECT \(number)") { _ = try $0.step() }
    }
    // 1, 2 and 3 once each, and 2 again after 3 has evicted it.
    #expect(log.counts.prepared == 4)
  }
}
