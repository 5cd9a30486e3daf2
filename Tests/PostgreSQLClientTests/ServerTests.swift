import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import PostgreSQLClient

extension Trait where Self == ConditionTrait {
  /// Skips tests where no PostgreSQL server is installed.
  static var needsServer: Self {
    .enabled(if: PrivateCluster.isAvailable, "no PostgreSQL server or no libpq is installed")
  }
}

@Suite("Connections", .needsServer)
struct ConnectionTests {
  private let connection: Connection

  init() throws { connection = try PrivateCluster.shared().connect() }

  private func error(_ sql: String, prepared: Bool = false) -> PostgreSQLError? {
    #expect(throws: PostgreSQLError.self) {
      try connection.run(Statement(sql, isPrepared: prepared))
    }
  }

  private func echo<Value: PostgreSQLValue>(_ value: Value?, _ type: String) throws -> Value? {
    try connection.run(Statement("SELECT $1::\(type)", [Parameter(value)])).value(0, 0)
  }

  @Test
  func `values of all types come back with every bit`() throws {
    #expect(try echo(true, "bool") == true)
    #expect(try echo(Int16.min, "int2") == .min)
    #expect(try echo(Int32.min, "int4") == .min)
    #expect(try echo(Int64.min, "int8") == .min)
    for pattern: UInt64 in [0x8000_0000_0000_0000, 0x7FF0_0000_0000_0001, 0xFFF8_0000_0000_0BAD, 1]
    {
      #expect(try echo(Double(bitPattern: pattern), "float8")?.bitPattern == pattern)
    }
    #expect(
      try echo("e\u{301}\u{1F600}", "text").map { Array($0.utf8) }
        == Array("e\u{301}\u{1F600}".utf8)
    )
    #expect(try echo("", "text")?.isEmpty == true)
    #expect(try echo(Data([0, 255, 0]), "bytea") == Data([0, 255, 0]))
    #expect(try echo(Data(), "bytea") == Data())
    let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
    #expect(try echo(uuid, "uuid") == uuid)
    #expect(try echo(nil as Int64?, "int8") == nil)
    let result = try connection.run(
      Statement(
        "SELECT $1::int8[], $2::text[]",
        [
          Parameter(array: [1, nil, 3] as [Int64?]), Parameter(array: ["", "ä", nil]),
        ]
      )
    )
    #expect(try result.array(0, 0, of: Int64.self) == [1, nil, 3])
    #expect(try result.array(0, 1, of: String.self) == ["", "ä", nil])
  }

  @Test(arguments: [
    "0", "-0.5", "10000", "123456789.000000001", "340282366920938463463374607431768211455",
    "1e127", "-1e-128", "99990000", "0.00010001",
  ])
  func `decimal numbers mean the same to the server`(_ text: String) throws {
    let number = try #require(Decimal(string: text))
    let sql = "SELECT $1::numeric, $1::numeric = '\(text)'::numeric, '\(text)'::numeric"
    let result = try connection.run(Statement(sql, [Parameter(number)]))
    #expect(try result.value(0, 0) == number)
    #expect(try result.value(0, 1) == true)
    #expect(try result.value(0, 2) == number)
  }

  @Test
  func `another type than expected is an error, as is a row that does not exist`() throws {
    let result = try connection.run(Statement("SELECT 1::int4"))
    for read in [
      { _ = try result.value(0, 0, as: Int64.self) },
      { _ = try result.value(1, 0, as: Int32.self) },
      { _ = try result.value(0, 1, as: Int32.self) },
      { _ = try result.array(0, 0, of: Int32.self) },
    ] as [() throws -> Void] {
      let error = #expect(throws: PostgreSQLError.self) { try read() }
      #expect(error?.kind == .invalidResponse)
    }
  }

  @Test(
    arguments: [
      ("SELECT * FROM nowhere", .undefinedObject), ("SELECT 1/0", .invalidValue),
      ("SELECT 'secret'::text::int4", .invalidValue), ("SELEC", .other),
      ("SET LOCAL statement_timeout = 1; SELECT 1", .other),
      ("BEGIN READ ONLY", nil),
    ] as [(String, PostgreSQLError.Kind?)]
  )
  func `errors have kinds, and show no value`(_ sql: String, _ kind: PostgreSQLError.Kind?) throws {
    guard let kind else {
      try connection.run(Statement(sql))
      #expect(error("CREATE TABLE t (a int)")?.kind == .readOnly)
      return
    }
    let error = try #require(error(sql))
    #expect(error.kind == kind)
    #expect(error.sqlState?.count == 5)
    #expect(!"\(error)".contains("secret"))
    #expect(try connection.run(Statement("SELECT true")).value(0, 0) == true)
  }

  @Test
  func `several statements are one round trip and one transaction`() throws {
    let before = connection.roundTrips
    let results = try connection.run([
      Statement("CREATE TEMPORARY TABLE t (a int8 UNIQUE)"),
      Statement(
        "INSERT INTO t SELECT unnest($1::int8[])",
        [Parameter(array: [1, 2, 3] as [Int64?])]
      ),
      Statement("SELECT count(*) FROM t"),
    ])
    #expect(results[1].affectedRows == 3)
    #expect(try results[2].value(0, 0) == Int64(3))
    #expect(connection.roundTrips == before + 1)
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([
        Statement("INSERT INTO t VALUES (4)"), Statement("INSERT INTO t VALUES (4)"),
        Statement("INSERT INTO t VALUES (5)"),
      ])
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0) == Int64(3))
  }

  @Test
  func `many large parameters and rows pass at once`() throws {
    let text = String(repeating: "ä", count: 200_000)
    let statement = Statement("SELECT $1::text, $1 || $1", [Parameter(text)])
    let results = try connection.run(Array(repeating: statement, count: 40))
    #expect(results.count == 40)
    #expect(try results[39].value(0, 1, as: String.self)?.utf8.count == 800_000)
  }

  @Test
  func `prepared statements are prepared once, and the oldest are dropped`() throws {
    connection.prepared = PreparedStatements(capacity: 2, isEnabled: true)
    for number in [1, 2, 1, 3, 1, 2] {
      let statement = Statement(
        "SELECT $1::int8 + \(number)",
        [Parameter(Int64(10))],
        isPrepared: true
      )
      #expect(try connection.run(statement).value(0, 0) == Int64(10 + number))
    }
    let names = try connection.run(
      Statement("SELECT array_agg(statement ORDER BY prepare_time) FROM pg_prepared_statements")
    )
    #expect(
      try names.array(0, 0, of: String.self) == ["SELECT $1::int8 + 1", "SELECT $1::int8 + 2"]
    )
    // As many as fit are prepared where more come in one round trip.
    let several = (5...8).map { Statement("SELECT \($0)::int8", isPrepared: true) }
    #expect(
      try connection.run(several + several).map { try $0.value(0, 0) } == [5, 6, 7, 8, 5, 6, 7, 8]
    )
  }

  @Test
  func `a prepared statement that failed is not taken for prepared`() throws {
    let statement = Statement("SELECT count(*) FROM later", isPrepared: true)
    #expect(error(statement.sql, prepared: true)?.kind == .undefinedObject)
    try connection.run(Statement("CREATE TEMPORARY TABLE later (a int8)"))
    #expect(try connection.run(statement).value(0, 0) == Int64(0))
  }

  @Test
  func `statements that the server forgot are executed again`() throws {
    let statement = Statement("SELECT 7::int8", isPrepared: true)
    try connection.run(statement)
    try connection.run(Statement("DEALLOCATE ALL"))
    #expect(try connection.run(statement).value(0, 0) == Int64(7))
    #expect(!connection.prepared.isEnabled)
  }

  @Test
  func `a plan that is outdated is made again, and in a transaction is a reason to try again`()
    throws
  {
    try connection.run(Statement("CREATE TEMPORARY TABLE t AS SELECT 1::int8 AS a"))
    let statement = Statement("SELECT * FROM t", isPrepared: true)
    try connection.run(statement)
    try connection.run(Statement("ALTER TABLE t ADD b int8"))
    #expect(try connection.run(statement).columnCount == 2)
    try connection.run(Statement("ALTER TABLE t ADD c int8"))
    try connection.begin(.init(.readCommitted))
    let error = #expect(throws: PostgreSQLError.self) { try connection.run(statement) }
    #expect(error?.kind == .statementForgotten && error?.isRetryable == true)
    connection.rollback()
    #expect(connection.prepared.isEnabled)
    #expect(try connection.run(statement).columnCount == 3)
  }

  @Test
  func `a name of a prepared statement depends on text and types`() {
    let names = [
      Statement("a"), Statement("b"), Statement("a", [Parameter(1 as Int64)]),
      Statement("a", [Parameter("")]),
    ].map(PreparedStatements.name)
    #expect(Set(names).count == 4)
    #expect(names.allSatisfy { $0.utf8.count < 64 })
    #expect(PreparedStatements.name(of: Statement("a")) == names[0])
  }

  @Test
  func `a transaction costs no round trip to begin`() throws {
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
  func `a transaction that is not used costs nothing, and one that fails is rolled back`() throws {
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
  func `a transaction in a transaction, and a COMMIT after an error, are errors`() throws {
    try connection.begin(.init(.readCommitted))
    try connection.run(Statement("SELECT 1"))
    #expect(throws: PostgreSQLError.self) { try connection.begin(.init(.readCommitted)) }
    _ = error("SELECT 1/0")
    let error = #expect(throws: PostgreSQLError.self) { try connection.commit() }
    #expect(error?.kind == .misuse)
    #expect(connection.isIdle && connection.isOpen)
  }

  @Test
  func `a statement that fails before COMMIT leaves no doubt`() throws {
    try connection.begin(.init(.readCommitted))
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.commit([Statement("SELECT 1/0")])
    }
    #expect(error?.kind == .invalidValue)
  }

  @Test
  func `COPY inserts rows, and none if it fails`() throws {
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
    let failures: [(inout CopyRows) throws -> Bool] = [
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
        $0.append("eight by"); $0.append("a"); return false
      },
    ]
    for failure in failures {
      #expect(throws: (any Error).self) {
        try connection.copy(into: "t (a, b)", columnCount: 2, failure)
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
  func `a cursor reads all rows in portions, in one round trip each`() throws {
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
  func `a deadline ends a wait, and the statement on the server`() throws {
    let backend = try connection.run(Statement("SELECT pg_backend_pid()")).value(
      0,
      0,
      as: Int32.self
    )
    connection.deadline = .after(.milliseconds(50))
    let error = error("SELECT pg_sleep(1000)")
    #expect(error?.kind == .deadlineExceeded)
    #expect(!connection.isOpen)
    #expect(self.error("SELECT 1")?.kind == .connectionLost)
    let other = try PrivateCluster.shared().connect()
    var isActive = true
    while isActive {
      let found = try other.run(
        Statement("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [Parameter(backend)])
      )
      isActive = found.rowCount > 0
    }
  }

  @Test
  func `another thread can cancel a statement`() throws {
    let interruption = connection.interruption
    Thread.detachNewThread { interruption.request() }
    #expect(error("SELECT pg_sleep(1000)")?.kind == .canceled)
    #expect(!connection.isOpen)
  }

  @Test
  func `the server's limits of time have kinds of their own`() throws {
    try connection.run(Statement("CREATE TABLE IF NOT EXISTS locked (a int8)"))
    let other = try PrivateCluster.shared().connect()
    try other.begin(.init(.readCommitted))
    try other.run(Statement("LOCK TABLE locked"))
    try connection.begin(.init(.readCommitted, lockTimeout: .milliseconds(1)))
    let lock = error("SELECT * FROM locked")
    #expect(lock?.kind == .lockTimeout && lock?.isRetryable == true)
    connection.rollback()
    try connection.begin(.init(.readCommitted, statementTimeout: .milliseconds(1)))
    #expect(error("SELECT * FROM locked")?.kind == .canceled)
    connection.rollback()
    other.rollback()
    #expect(try connection.run(Statement("SELECT * FROM locked")).rowCount == 0)
  }

  @Test
  func `transactions that conflict can be tried again`() throws {
    let other = try PrivateCluster.shared().connect()
    try connection.run([
      Statement("CREATE TABLE conflicts (a int8)"), Statement("INSERT INTO conflicts VALUES (0)"),
    ])
    try connection.begin(.init(.repeatableRead))
    try connection.run(Statement("SELECT * FROM conflicts"))
    try other.run(Statement("UPDATE conflicts SET a = 1"))
    let error = error("UPDATE conflicts SET a = 2")
    #expect(error?.kind == .serializationFailure && error?.isRetryable == true)
    connection.rollback()
    try connection.run(Statement("DROP TABLE conflicts"))
  }

  @Test
  func `no server, and no database, are errors with the address`() throws {
    var configuration = try PrivateCluster.shared().configuration()
    configuration.database = "nothing"
    configuration.password = Password("tester")
    let missing = #expect(throws: PostgreSQLError.self) {
      try Connection.open(configuration, deadline: .after(.seconds(60)), environment: [:])
    }
    #expect(missing?.kind == .cannotConnect)
    #expect(missing?.message.contains("nothing") == true)
    configuration.hosts = [.init(name: "/nowhere", port: 1)]
    let nobody = #expect(throws: PostgreSQLError.self) {
      try Connection.open(configuration, deadline: .after(.seconds(60)), environment: [:])
    }
    #expect(nobody?.kind == .cannotConnect)
  }

  @Test
  func `the host that has the wanted role is found among several`() throws {
    var configuration = try PrivateCluster.shared().configuration()
    configuration.hosts.insert(.init(name: "/nowhere", port: 1), at: 0)
    for target in [ConnectionConfiguration.TargetSession.readWrite, .primary, .preferStandby, .any]
    {
      configuration.targetSession = target
      let found = try Connection.open(
        configuration,
        deadline: .after(.seconds(60)),
        environment: [:]
      )
      #expect(found.isOpen)
    }
    configuration.targetSession = .standby
    let error = #expect(throws: PostgreSQLError.self) {
      try Connection.open(configuration, deadline: .after(.seconds(60)), environment: [:])
    }
    #expect(error?.kind == .cannotConnect)
  }
}
