import Foundation
import PostgreSQLTestSupport
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
    try connection.begin(
      .init(.repeatableRead, lockTimeout: .seconds(2), statementTimeout: .seconds(3))
    )
    let settings = try connection.run(
      Statement(
        "SELECT current_setting('lock_timeout') || current_setting('statement_timeout') "
          + "|| current_setting('transaction_isolation')"
      )
    )
    #expect(try settings.value(0, 0) == "2s3srepeatable read")
    let results = try connection.commit([Statement("INSERT INTO t VALUES (1)")])
    #expect(results.first?.affectedRows == 1)
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
  func `COPY inserts all rows, or none if it fails`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8 PRIMARY KEY, b text)"))
    var next: Int64 = 0
    let count = try connection.copy(into: "t (a, b)", columnCount: 2) { rows in
      for _ in 0..<10_000 {
        rows.append(next)
        rows.append(next % 3 == 0 ? nil : "row \(next)")
        next += 1
      }
      return next < 50_000
    }
    #expect(count == 50_000)
    let sums = try connection.run(
      Statement("SELECT count(*), count(b), sum(a)::int8, max(b COLLATE \"C\") FROM t")
    )
    #expect(try sums.value(0, 0) == Int64(50_000))
    #expect(try sums.value(0, 1) == Int64(33_333))
    #expect(try sums.value(0, 2) == Int64(49_999 * 25_000))
    #expect(try sums.value(0, 3) == "row 9998")
    struct Stop: Error {}
    let productions: [(inout CopyRows) throws -> Bool] = [
      {
        $0.append(Int64(60_000)); throw Stop()
      },
      {
        $0.append(Int64(60_000)); return false
      },
      {
        $0.append(Int64(1)); $0.append("double"); return false
      },
      {
        $0.append("seven b"); $0.append("a"); return false
      },
    ]
    for production in productions {
      #expect(throws: (any Error).self) {
        try connection.copy(into: "t (a, b)", columnCount: 2, production)
      }
      #expect(try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0) == Int64(50_000))
    }
    let missing = #expect(throws: PostgreSQLError.self) {
      try connection.copy(into: "nowhere", columnCount: 1) { _ in false }
    }
    #expect(missing?.kind == .undefinedObject)
  }

  @Test
  func `COPY runs in a transaction`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8)"))
    try connection.begin(.init(.readCommitted))
    try connection.copy(into: "t (a)", columnCount: 1) {
      $0.append(Int64(1)); return false
    }
    connection.rollback()
    #expect(try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0) == Int64(0))
  }

  @Test
  func `a cursor reads all rows in portions of one round trip each`() throws {
    let query = Statement("SELECT generate_series(1, $1::int8)", [Parameter(Int64(2500))])
    #expect(throws: PostgreSQLError.self) { try Cursor(query, on: connection) }
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
    try connection.begin(.init(.readCommitted, statementTimeout: .milliseconds(1)))
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
