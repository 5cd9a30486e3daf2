import Foundation
import PostgreSQLTestSupport
import StoreProtocol
import Synchronization
import Testing

@testable import PostgreSQLClient

@Suite("Transactions, COPY and cursors", .needsServer, .timeLimit(.minutes(30)))
struct TransactionTests {
  private let connection: Connection

  init() throws { connection = try PrivateCluster.shared().connect() }

  private func failure(_ sql: String, prepared: Bool = false) -> PostgreSQLError? {
    #expect(throws: PostgreSQLError.self) {
      try connection.run(Statement(sql, isPrepared: prepared))
    }
  }

  @Test
  func `the beginning of a transaction takes no round trip`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8)"))
    let before = connection.roundTrips
    try connection.begin(.init(.repeatableRead, lockTimeout: .seconds(2)))
    let settings = try connection.run(
      Statement(
        "SELECT current_setting('lock_timeout') || current_setting('transaction_isolation')"
      )
    )
    #expect(try settings.value(0, 0) == "2srepeatable read")
    // Statements that were postponed before wait no longer than those after.
    connection.postpone([Statement("INSERT INTO t SELECT 1")])
    connection.setLockTimeout(.milliseconds(1500))
    let results = try connection.commit([
      Statement("SELECT current_setting('lock_timeout') || count(*) FROM t")
    ])
    #expect(try results[0].value(0, 0) == "1500ms1")
    #expect(connection.roundTrips == before + 2)
    #expect(connection.isIdle)
    let after = try connection.run(Statement("SELECT current_setting('lock_timeout')"))
    #expect(try after.value(0, 0) == "0")
  }

  @Test
  func `a statement after COMMIT shares its round trip, but not its outcome`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8)"))
    for (number, last) in ["SELECT 1", "SELECT 1 / 0"].enumerated() {
      let before = connection.roundTrips
      try connection.begin(.init(.readCommitted))
      let results = try connection.commit(
        [Statement("INSERT INTO t VALUES (1)"), Statement("SELECT count(*) FROM t")],
        followedBy: Statement(last)
      )
      #expect(results.count == 2)
      #expect(try results[1].value(0, 0) == Int64(number + 1))
      #expect(connection.roundTrips == before + 1)
      #expect(connection.isIdle)
    }
    try connection.begin(.init(.readCommitted))
    #expect(throws: PostgreSQLError.self) {
      try connection.commit([Statement("SELECT 1 / 0")], followedBy: Statement("SELECT 1"))
    }
    connection.rollback()
    #expect(try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0) == Int64(2))
  }

  @Test
  func `postponed statements share the next round trip, or are dropped`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8)"))
    let before = connection.roundTrips
    try connection.begin(.init(.readCommitted))
    connection.postpone([Statement("INSERT INTO t VALUES (1)")])
    let count = try connection.run(Statement("SELECT count(*) FROM t"))
    #expect(try count.value(0, 0) == Int64(1))
    connection.postpone([Statement("INSERT INTO t VALUES (2)")])
    connection.postpone([Statement("INSERT INTO t VALUES (3)")])
    let results = try connection.commit([Statement("SELECT sum(a)::int8 FROM t")])
    #expect(results.count == 1)
    #expect(try results[0].value(0, 0) == Int64(6))
    // Without a request before the commit, it is the whole transaction.
    try connection.begin(.init(.readCommitted))
    connection.postpone([Statement("INSERT INTO t VALUES (4)")])
    #expect(try connection.commit().isEmpty)
    #expect(connection.roundTrips == before + 3)
    try connection.begin(.init(.readCommitted))
    connection.postpone([Statement("INSERT INTO t VALUES (5)")])
    connection.rollback()
    #expect(connection.roundTrips == before + 3)
    try connection.begin(.init(.readCommitted))
    connection.postpone([Statement("SELECT 1 / 0")])
    #expect(throws: PostgreSQLError.self) { try connection.commit() }
    connection.rollback()
    #expect(try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0) == Int64(4))
  }

  @Test
  func `postponed statements are reported to the request that postponed them`() throws {
    let lines = Mutex<[String]>([])
    func observing(_ name: String, _ body: () throws -> Void) rethrows {
      let observer = StatementObserver { sql in
        lines.withLock { $0.append("\(name): \(sql)") }
        return { error in lines.withLock { $0.append("\(name) ends, \(error == nil)") } }
      }
      try StatementObserver.observing(observer, body)
    }
    try observing("leader") {
      try connection.transaction(.init(.readCommitted)) {
        try connection.run(Statement("SELECT 1"))
        lines.withLock { $0 = [] }
        observing("follower") {
          connection.postpone([Statement("SELECT 2"), Statement("SELECT 3")])
        }
        connection.postpone([Statement("SELECT 4")])
      }
    }
    #expect(
      lines.withLock { $0 } == [
        "follower: SELECT 2; SELECT 3", "leader: SELECT 4; COMMIT", "follower ends, true",
        "leader ends, true",
      ]
    )
  }

  @Test
  func `an unused transaction takes no round trip, and a failed one is rolled back`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8)"))
    let before = connection.roundTrips
    try connection.transaction(.init(.readCommitted)) {}
    #expect(connection.roundTrips == before)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try connection.transaction(.init(.readCommitted)) {
        try connection.run(Statement("INSERT INTO t VALUES (1)"))
        throw Stop()
      }
    }
    #expect(connection.isIdle)
    #expect(try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0) == Int64(0))
  }

  @Test
  func `a nested transaction and a COMMIT after an error are errors`() throws {
    try connection.begin(.init(.readCommitted))
    try connection.run(Statement("SELECT 1"))
    #expect(throws: PostgreSQLError.self) { try connection.begin(.init(.readCommitted)) }
    _ = failure("SELECT 1/0")
    let error = #expect(throws: PostgreSQLError.self) { try connection.commit() }
    #expect(error?.kind == .misuse)
    #expect(connection.isIdle && connection.isOpen)
  }

  @Test
  func `a statement that fails before COMMIT does not have an unknown outcome`() throws {
    try connection.begin(.init(.readCommitted))
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.commit([Statement("SELECT 1/0")])
    }
    #expect(error?.kind == .invalidValue)
  }

  @Test
  func `COPY reads all rows in one round trip`() throws {
    let sql =
      "SELECT i, CASE WHEN i % 3 <> 0 THEN 'row ' || i END FROM generate_series(1::int8, 2500) AS i"
    let query = CopyQuery(Statement(sql), types: [Int64.typeID, String.typeID])
    let before = connection.roundTrips
    var (sum, texts, portions) = (Int64(0), 0, 0)
    try connection.copy(query) { rows in
      portions += 1
      for row in 0..<rows.rowCount {
        let number = try #require(try rows.integer(row, 0))
        let text = try rows.string(row, 1)
        #expect(text == (number % 3 == 0 ? nil : "row \(number)"))
        sum += number
        texts += text == nil ? 0 : 1
      }
      #expect(throws: PostgreSQLError.self) { try rows.string(0, 0) }
    }
    #expect(sum == 2500 * 2501 / 2)
    #expect(texts == 1667)
    #expect(portions > 2)
    #expect(connection.roundTrips == before + 1)
    #expect(connection.isIdle)
    let nothing = CopyQuery(Statement("SELECT 1::int8 WHERE false"), types: [Int64.typeID])
    try connection.copy(nothing) { _ in Issue.record("There is no row.") }
    try connection.begin(.init(.readCommitted))
    try connection.copy(query) { _ in #expect(!connection.isIdle) }
    try connection.commit()
  }

  @Test
  func `COPY and a query after it take one round trip, and the query reads later commits`() throws {
    let name = "copied_" + UUID().uuidString.filter(\.isLetter)
    try connection.run(Statement("CREATE TABLE \(name) (a int8)"))
    let other = try PrivateCluster.shared().connect()
    let rows = CopyQuery(
      Statement("SELECT i FROM generate_series(1::int8, 500000) AS i"),
      types: [Int64.typeID]
    )
    let last = CopyQuery(
      Statement("SELECT a, NULL::text FROM \(name)"),
      types: [
        Int64.typeID, String.typeID,
      ]
    )
    let before = connection.roundTrips
    var count = 0
    let found = try connection.copy(rows, followedBy: last) { rows in
      // The server has not sent all rows yet.
      if count == 0 { try other.run(Statement("INSERT INTO \(name) VALUES (7)")) }
      count += rows.rowCount
    }
    #expect(count == 500_000)
    #expect(try found?.integer(0, 0) == 7)
    #expect(try found?.string(0, 1) == nil)
    #expect(connection.roundTrips == before + 1)
    #expect(connection.isIdle)
    let failing = CopyQuery(Statement("SELECT 1 / (a - 7) FROM \(name)"), types: [Int64.typeID])
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.copy(last, followedBy: failing) { _ in }
    }
    #expect(error?.kind == .invalidValue)
    #expect(connection.isAtRest)
    try connection.run(Statement("DROP TABLE \(name)"))
  }

  @Test
  func `the connection is usable after an error of COPY, and closed if rows are left`() throws {
    let types = [Int64.typeID]
    for (sql, kind) in [
      ("SELECT a FROM nowhere", .undefinedObject),
      ("SELECT 1 / (2000 - i) FROM generate_series(1::int8, 2500) AS i", .invalidValue),
    ] as [(String, PostgreSQLError.Kind)] {
      let error = #expect(throws: PostgreSQLError.self) {
        try connection.copy(CopyQuery(Statement(sql), types: types)) { _ in }
      }
      #expect(error?.kind == kind)
      #expect(try connection.run(Statement("SELECT 1::int8")).value(0, 0) == Int64(1))
    }
    struct Stop: Error {}
    let numbers = Statement("SELECT i FROM generate_series(1::int8, 100000) AS i")
    #expect(throws: Stop.self) {
      try connection.copy(CopyQuery(numbers, types: types)) { _ in throw Stop() }
    }
    #expect(!connection.isOpen)
  }

  @Test
  func `damaged messages of COPY are refused, or are divided within their bytes`() throws {
    let library = try LibPQ.load()
    func rows(_ bytes: [UInt8]) -> CopiedRows? {
      guard let message = malloc(max(1, bytes.count)) else { return nil }
      message.copyMemory(from: bytes, byteCount: bytes.count)
      var rows = CopiedRows(types: [Int64.typeID, String.typeID], library)
      let text = message.assumingMemoryBound(to: CChar.self)
      guard rows.append(text, size: bytes.count) else { return nil }
      let end = UnsafeRawPointer(message) + bytes.count
      for field in rows.fields.compactMap({ $0 }) {
        guard let start = field.baseAddress else { continue }
        #expect(start >= UnsafeRawPointer(message) && start + field.count <= end)
      }
      #expect(rows.fields.count == 2 * rows.count)
      return rows
    }
    var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
    bytes.append(integer: Int16(2))
    bytes.append(integer: Int32(8))
    bytes.append(integer: Int64(7))
    bytes.append(integer: Int32(3))
    bytes += "abc".utf8
    #expect(rows(bytes)?.count == 1)
    for count in bytes.indices { #expect(rows(Array(bytes[..<count])) == nil) }
    #expect(rows(bytes + [0]) == nil)
    for index in bytes.indices {
      for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFE, 0xFF] where byte != bytes[index] {
        var damaged = bytes
        damaged[index] = byte
        let isValue = (25..<33).contains(index) || index >= 37
        #expect((rows(damaged) != nil) == isValue)
      }
    }
  }

  @Test
  func `rows of COPY with another number of columns are an invalid response`() throws {
    let error = #expect(throws: PostgreSQLError.self) {
      let numbers = CopyQuery(Statement("SELECT 1::int8, 2::int8"), types: [Int64.typeID])
      try connection.copy(numbers) { _ in }
    }
    #expect(error?.kind == .invalidResponse)
    #expect(!connection.isOpen)
  }

  @Test
  func `a cursor reads all rows in portions of one round trip each`() throws {
    let query = Statement("SELECT generate_series(1, $1::int8)", [Parameter(Int64(2500))])
    #expect(throws: PostgreSQLError.self) { try Cursor(query, on: connection, size: 1000) }
    let before = connection.roundTrips
    try connection.begin(.init(.repeatableRead, isReadOnly: true))
    let cursor = try Cursor(query, on: connection, size: 1000)
    var sum: Int64 = 0
    var counts: [Int] = []
    repeat {
      let portion = try cursor.portion()
      counts.append(portion.rowCount)
      for row in 0..<portion.rowCount { sum += try portion.value(row, 0) ?? 0 }
    } while counts.last == 1000
    try connection.commit()
    #expect(counts == [1000, 1000, 500])
    #expect(sum == 2500 * 2501 / 2)
    #expect(connection.roundTrips == before + 4)
  }

  @Test
  func `lock and statement timeouts of the server have their own error kinds`() throws {
    try connection.run(Statement("CREATE TABLE IF NOT EXISTS locked (a int8)"))
    let other = try PrivateCluster.shared().connect()
    try other.begin(.init(.readCommitted))
    try other.run(Statement("LOCK TABLE locked"))
    try connection.begin(.init(.readCommitted, lockTimeout: .milliseconds(1)))
    let lock = failure("SELECT * FROM locked")
    #expect(lock?.kind == .lockTimeout && lock?.isRetryable == true)
    connection.rollback()
    try connection.begin(.init(.readCommitted))
    try connection.run(Statement("SET LOCAL statement_timeout = 1"))
    #expect(failure("SELECT * FROM locked")?.kind == .canceled)
    connection.rollback()
    other.rollback()
    #expect(try connection.run(Statement("SELECT * FROM locked")).rowCount == 0)
  }

  @Test
  func `a transaction conflict is a retryable error`() throws {
    let other = try PrivateCluster.shared().connect()
    try connection.run([
      Statement("CREATE TABLE conflicts (a int8)"), Statement("INSERT INTO conflicts VALUES (0)"),
    ])
    try connection.begin(.init(.repeatableRead))
    try connection.run(Statement("SELECT * FROM conflicts"))
    try other.run(Statement("UPDATE conflicts SET a = 1"))
    let error = failure("UPDATE conflicts SET a = 2")
    #expect(error?.kind == .serializationFailure && error?.isRetryable == true)
    connection.rollback()
    try connection.run(Statement("DROP TABLE conflicts"))
  }
}
