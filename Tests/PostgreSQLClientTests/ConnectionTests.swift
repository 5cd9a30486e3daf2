import Foundation
import PostgreSQLTestSupport
import Testing

@testable import PostgreSQLClient

extension Trait where Self == ConditionTrait {
  /// Skips tests if no PostgreSQL server is installed.
  static var needsServer: Self {
    .enabled(if: PrivateCluster.isAvailable, "no PostgreSQL server or no libpq is installed")
  }
}

@Suite("Connections", .needsServer, .timeLimit(.minutes(30)))
struct ConnectionTests {
  private let connection: Connection

  init() throws { connection = try PrivateCluster.shared().connect() }

  private func failure(_ sql: String, prepared: Bool = false) -> PostgreSQLError? {
    #expect(throws: PostgreSQLError.self) {
      try connection.run(Statement(sql, isPrepared: prepared))
    }
  }

  private func echo<Value: PostgreSQLValue>(_ value: Value?, _ type: String) throws -> Value? {
    try connection.run(Statement("SELECT $1::\(type)", [Parameter(value)])).value(0, 0)
  }

  @Test
  func `values of all types are read back bit for bit`() throws {
    #expect(try echo(true, "bool") == true)
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
  func `decimal numbers have the same value on the server`(_ string: String) throws {
    let number = try #require(Decimal(string: string))
    let sql = "SELECT $1::numeric, $1::numeric = '\(string)'::numeric, '\(string)'::numeric"
    let result = try connection.run(Statement(sql, [Parameter(number)]))
    #expect(try result.value(0, 0) == number)
    #expect(try result.value(0, 1) == true)
    #expect(try result.value(0, 2) == number)
  }

  @Test
  func `reading another type, or a row or column that does not exist, is an error`() throws {
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
  func `errors have kinds, and contain no values`(
    _ sql: String,
    _ kind: PostgreSQLError.Kind?
  ) throws {
    guard let kind else {
      try connection.run(Statement(sql))
      #expect(failure("CREATE TABLE t (a int)")?.kind == .readOnly)
      return
    }
    let error = try #require(failure(sql))
    #expect(error.kind == kind)
    #expect(error.sqlState?.count == 5)
    #expect(!"\(error)".contains("secret"))
    #expect(try connection.run(Statement("SELECT true")).value(0, 0) == true)
  }

  @Test
  func `several statements take one round trip and one transaction`() throws {
    let before = connection.roundTrips
    let results = try connection.run([
      Statement("CREATE TEMPORARY TABLE t (a int8 UNIQUE)"),
      Statement(
        "INSERT INTO t SELECT unnest($1::int8[])",
        [Parameter(array: [1, 2, 3] as [Int64?])]
      ),
      Statement("SELECT count(*) FROM t"),
    ])
    #expect(results[1].command == "INSERT 0 3")
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
  func `many large parameters and rows are exchanged in one round trip`() throws {
    let string = String(repeating: "ä", count: 200_000)
    let statement = Statement("SELECT $1::text, $1 || $1", [Parameter(string)])
    let results = try connection.run(Array(repeating: statement, count: 40))
    #expect(results.count == 40)
    #expect(try results[39].value(0, 1, as: String.self)?.utf8.count == 800_000)
  }

  @Test
  func `parameters of more than a gigabyte are refused, and the connection stays`() throws {
    let half = Parameter(Data(repeating: 1, count: Statement.mostBytes / 2))
    let other = Parameter(Data(repeating: 1, count: Statement.mostBytes / 2 + 2))
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run(Statement("SELECT length($1), length($2)", [half, other]))
    }
    #expect(error?.kind == .limitExceeded)
    #expect(try connection.run(Statement("SELECT 1::int8")).value(0, 0, as: Int64.self) == 1)
  }

  @Test
  func `a deadline ends the wait and the statement on the server`() throws {
    let backend = try connection.run(Statement("SELECT pg_backend_pid()")).value(
      0,
      0,
      as: Int32.self
    )
    connection.deadline = .after(.milliseconds(50))
    let error = failure("SELECT pg_sleep(1000)")
    #expect(error?.kind == .deadlineExceeded)
    #expect(!connection.isOpen)
    #expect(failure("SELECT 1")?.kind == .connectionLost)
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
  func `a missing server or database is a connection error`() throws {
    var configuration = try PrivateCluster.shared().configuration()
    configuration.database = "nothing"
    configuration.password = Password("tester")
    let missing = #expect(throws: PostgreSQLError.self) {
      try Connection.open(configuration, deadline: .after(.seconds(60)), environment: [:])
    }
    #expect(missing?.kind == .cannotConnect)
    #expect(missing?.message.contains("nothing") == true)
    configuration.hosts = [.init(name: "/nowhere", port: 1)]
    let unreachable = #expect(throws: PostgreSQLError.self) {
      try Connection.open(configuration, deadline: .after(.seconds(60)), environment: [:])
    }
    #expect(unreachable?.kind == .cannotConnect)
    #expect(unreachable?.message.contains("/nowhere") == true)
  }

  @Test
  func `the host with the requested role is found among several`() throws {
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
