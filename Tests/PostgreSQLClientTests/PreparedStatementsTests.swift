import Foundation
import PostgreSQLTestSupport
import Testing

@testable import PostgreSQLClient

@Suite("Prepared statements", .needsServer, .timeLimit(.minutes(30)))
struct PreparedStatementsTests {
  private let connection: Connection

  init() throws { connection = try PrivateCluster.shared().connect() }

  private func failure(_ sql: String, prepared: Bool = false) -> PostgreSQLError? {
    #expect(throws: PostgreSQLError.self) {
      try connection.run(Statement(sql, isPrepared: prepared))
    }
  }

  @Test
  func `are prepared at their second use, and the least recently used are dropped`() throws {
    connection.prepared = PreparedStatements(capacity: 2, isEnabled: true)
    func prepared(after numbers: [Int]) throws -> [Int64?]? {
      for number in numbers {
        let statement = Statement(
          "SELECT $1::int8 + \(number)",
          [Parameter(Int64(10))],
          isPrepared: true
        )
        #expect(try connection.run(statement).value(0, 0) == Int64(10 + number))
      }
      let names = Statement(
        "SELECT array_agg(right(statement, 1)::int8 ORDER BY prepare_time) "
          + "FROM pg_prepared_statements"
      )
      return try connection.run(names).array(0, 0, of: Int64.self)
    }
    #expect(try prepared(after: [1, 2]) == nil)
    #expect(try prepared(after: [1, 1, 2]) == [1, 2])
    #expect(try prepared(after: [1, 3, 3]) == [1, 3])
    // Statements whose first use is forgotten are not prepared.
    #expect(try prepared(after: [4, 5, 6, 7, 8, 4]) == [1, 3])
    // If one round trip has more statements than fit, only as many as fit are prepared.
    let several = (5...8).map { Statement("SELECT \($0)::int8", isPrepared: true) }
    let values: [Int64?] = try connection.run(several + several).map { try $0.value(0, 0) }
    #expect(values == [5, 6, 7, 8, 5, 6, 7, 8])
  }

  @Test
  func `of which many are used in turn stay within the limit`() throws {
    connection.prepared = PreparedStatements(capacity: 8, isEnabled: true)
    for number in 0..<400 {
      let statement = Statement("SELECT \(number / 2 % 12)::int8", isPrepared: true)
      #expect(try connection.run(statement).value(0, 0) == Int64(number / 2 % 12))
    }
    let count = try connection.run(Statement("SELECT count(*) FROM pg_prepared_statements"))
    #expect(try count.value(0, 0) == Int64(8))
  }

  @Test
  func `are not considered prepared after a failure`() throws {
    let statement = Statement("SELECT count(*) FROM later", isPrepared: true)
    for _ in 0..<2 {
      #expect(failure(statement.sql, prepared: true)?.kind == .undefinedObject)
    }
    try connection.run(Statement("CREATE TEMPORARY TABLE later (a int8)"))
    #expect(try connection.run(statement).value(0, 0) == Int64(0))
  }

  @Test
  func `are executed again if the server has dropped them`() throws {
    let statement = Statement("SELECT 7::int8", isPrepared: true)
    for _ in 0..<2 { try connection.run(statement) }
    try connection.run(Statement("DEALLOCATE ALL"))
    #expect(try connection.run(statement).value(0, 0) == Int64(7))
    #expect(!connection.prepared.isEnabled)
  }

  @Test
  func `are prepared again if outdated, and in a transaction cause a retryable error`()
    throws
  {
    try connection.run(Statement("CREATE TEMPORARY TABLE t AS SELECT 1::int8 AS a"))
    let statement = Statement("SELECT * FROM t", isPrepared: true)
    for _ in 0..<2 { try connection.run(statement) }
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

  @Test func `are prepared again after a failed check, without a rule that was dropped`() throws {
    try connection.run(Statement("CREATE TEMPORARY TABLE t (a int8)"))
    try connection.run(
      Statement("CREATE RULE discarding AS ON INSERT TO t DO INSTEAD NOTHING")
    )
    let insertion = Statement("INSERT INTO t VALUES (1)", isPrepared: true)
    for _ in 0..<2 { try connection.run(insertion) }
    try connection.run(Statement("DROP RULE discarding ON t"))
    try connection.run(insertion)
    let check = Statement("SELECT (count(*)::text || ' rows')::int FROM t")
    #expect(throws: PostgreSQLError.self) { try connection.run(check) }
    try connection.run(insertion)
    try connection.run(insertion)
    let count = try connection.run(Statement("SELECT count(*) FROM t")).value(0, 0, as: Int64.self)
    #expect(count == 2)
  }

  @Test
  func `have names that depend on their SQL and parameter types`() {
    let long = String(repeating: "a", count: 40)
    let statements =
      long.indices.map { Statement(long.replacingCharacters(in: $0...$0, with: "b")) }
      + (0...40).map { Statement(String(long.prefix($0))) }
      + [Statement("a", [Parameter(1 as Int64)]), Statement("a", [Parameter("")])]
    let names = statements.map(PreparedStatements.Name.init)
    #expect(Set(names).count == statements.count)
    #expect(names.allSatisfy { $0.withText { $0.map { strlen($0) } } == 36 })
    #expect(statements.map(PreparedStatements.Name.init) == names)
  }
}
