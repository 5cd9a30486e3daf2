import Testing

@testable import SQLiteStore

@Suite("An identifier in SQL")
struct SQLIdentifierTests {
  @Test(arguments: [
    "name", "select", "rowid", "a b", "x\"; drop table t;--", "'", "👩‍👩‍👧", "é", "e\u{301}", "\n", "`",
    "]",
    String(repeating: "n", count: 512),
  ])
  func `names the same column with any characters`(_ name: String) throws {
    let connection = try Connection(ConnectionOptions(location: .memory))
    let quoted = try SQLIdentifier.quoted(name)
    try connection.execute("CREATE TABLE \(quoted)(\(quoted) TEXT)")
    try connection.execute("INSERT INTO \(quoted)(\(quoted)) VALUES ('value')")
    #expect(try connection.text("SELECT \(quoted) FROM \(quoted)") == "value")
    #expect(
      try connection.text("SELECT name FROM sqlite_master").map { Array($0.utf8) }
        == Array(name.utf8)
    )
  }

  @Test(arguments: [
    ("", SQLIdentifier.Refusal.empty),
    ("a\0b", .containsNull("a\0b")),
    (String(repeating: "é", count: 257), .tooLong(byteCount: 514)),
    ("sqlite_a", .reserved("sqlite_a")),
    ("SQLite_a", .reserved("SQLite_a")),
  ])
  func `is refused if SQLite cannot store it`(
    _ name: String,
    _ refusal: SQLIdentifier.Refusal
  ) {
    #expect(throws: refusal) { try SQLIdentifier.quoted(name) }
  }

  @Test func `collides with one that differs only in the case of ASCII letters`() {
    #expect(throws: SQLIdentifier.Refusal.collision("A1", "a1")) {
      try SQLIdentifier.checkCollisions(["b", "A1", "a1"])
    }
  }

  @Test func `does not collide with one that differs in other letters`() throws {
    try SQLIdentifier.checkCollisions(["É1", "é1", "E1", "e\u{301}1"])
  }
}
