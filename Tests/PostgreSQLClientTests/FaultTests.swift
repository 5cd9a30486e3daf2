import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import PostgreSQLClient

/// Runs one save through a proxy that injects faults; the table shows whether it is stored.
private final class Save {
  let proxy: FaultProxy
  let connection: Connection
  let direct: Connection
  let table: String

  init() throws {
    let cluster = try PrivateCluster.shared()
    proxy = try FaultProxy(cluster)
    connection = try cluster.connect(folder: proxy.folder.path)
    direct = try cluster.connect()
    table = "saves_" + UUID().uuidString.replacing("-", with: "").lowercased()
    try direct.run(Statement("CREATE TABLE \(table) (a int8)"))
  }

  deinit {
    proxy.stop()
    _ = try? direct.run(Statement("DROP TABLE \(table)"))
  }

  /// Saves, and returns the error.
  func run(deadline: Deadline = .after(.seconds(60))) -> PostgreSQLError? {
    connection.deadline = deadline
    do {
      try connection.begin(.init(.repeatableRead))
      try connection.run(Statement("INSERT INTO \(table) VALUES (1)"))
      try connection.commit()
      return nil
    } catch {
      return error
    }
  }

  /// Saves in one round trip, and returns the error.
  func runInOneRoundTrip() -> PostgreSQLError? {
    connection.deadline = .after(.seconds(60))
    do {
      try connection.begin(.init(.readCommitted))
      try connection.commit([Statement("INSERT INTO \(table) VALUES (1)")])
      return nil
    } catch {
      return error
    }
  }

  /// Whether the save is stored, once the server has ended its transaction.
  func isStored() throws -> Bool {
    try direct.transaction(.init(.readCommitted)) {
      try direct.run(Statement("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE"))
      return try direct.run(Statement("SELECT count(*) FROM \(table)")).value(0, 0) == Int64(1)
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ string: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(string)
  }
}

@Suite("Faults between client and server", .needsServer, .timeLimit(.minutes(30)))
struct FaultTests {
  @Test
  func `a save through a proxy without faults is stored`() throws {
    let save = try Save()
    #expect(save.run() == nil)
    #expect(try save.isStored())
  }

  @Test
  func `a COMMIT that does not reach the server has an unknown outcome and stores nothing`() throws
  {
    let save = try Save()
    save.proxy.set { $0 == .toServer && $1.contains("COMMIT") ? .cut : .pass }
    #expect(save.run()?.kind == .outcomeUnknown)
    #expect(!save.connection.isOpen)
    #expect(try !save.isStored())
  }

  @Test
  func `a stored COMMIT whose response is lost has an unknown outcome`() throws {
    let save = try Save()
    save.proxy.set { $0 == .toClient && $1.contains("COMMIT\0") ? .cut : .pass }
    #expect(save.run()?.kind == .outcomeUnknown)
    #expect(try save.isStored())
  }

  @Test
  func `a COMMIT without a response before the deadline has an unknown outcome`() throws {
    let save = try Save()
    let isAsked = Mutex(false)
    save.proxy.set { direction, bytes in
      if direction == .toServer, bytes.contains("COMMIT") { isAsked.withLock { $0 = true } }
      return direction == .toClient && bytes.contains("COMMIT\0") ? .swallow : .pass
    }
    let error = save.run(deadline: .after(.milliseconds(500)))
    // On a very slow machine, the deadline passes before the COMMIT.
    #expect(error?.kind == (isAsked.withLock { $0 } ? .outcomeUnknown : .deadlineExceeded))
  }

  @Test(
    arguments: [
      ("40003", .outcomeUnknown), ("57P01", .outcomeUnknown), ("08006", .outcomeUnknown),
      ("XX000", .outcomeUnknown), ("40001", .serializationFailure), ("23505", .uniqueViolation),
    ] as [(String, PostgreSQLError.Kind)]
  )
  func `an error of COMMIT means an unknown outcome only if it is ambiguous`(
    _ state: String,
    _ kind: PostgreSQLError.Kind
  ) throws {
    let save = try Save()
    save.proxy.set {
      $0 == .toServer && $1.contains("COMMIT") ? .respond(FaultProxy.response(state)) : .pass
    }
    let error = save.run()
    #expect(error?.kind == kind)
    #expect(error?.sqlState == state)
  }

  @Test(arguments: ["08P01", "08006", "57P01", "23505", "57014", "XX000"], [true, false])
  func `an error in place of all responses means an unknown outcome`(
    _ state: String,
    _ isAlone: Bool
  ) throws {
    let save = try Save()
    save.proxy.set {
      $0 == .toClient && $1.contains("COMMIT\0") ? .respond(FaultProxy.errorMessage(state)) : .pass
    }
    let error = isAlone ? save.run() : save.runInOneRoundTrip()
    #expect(error?.kind == .outcomeUnknown)
    #expect(error?.sqlState == state)
    #expect(!save.connection.isOpen)
    #expect(try save.isStored())
  }

  @Test(arguments: ["08P01", "08006", "57P01"])
  func `a lost connection in a complete response to the first statement is an unknown outcome`(
    _ state: String
  ) throws {
    let save = try Save()
    save.proxy.set {
      $0 == .toClient && $1.contains("COMMIT\0") ? .respond(FaultProxy.response(state)) : .pass
    }
    #expect(save.runInOneRoundTrip()?.kind == .outcomeUnknown)
    #expect(try save.isStored())
  }

  @Test
  func `a complete response with another error to the first statement means not stored`() throws {
    let save = try Save()
    save.proxy.set {
      $0 == .toServer && $1.contains("COMMIT\0") ? .respond(FaultProxy.response("23505")) : .pass
    }
    #expect(save.runInOneRoundTrip()?.kind == .uniqueViolation)
    #expect(try !save.isStored())
  }

  @Test
  func `a statement whose response is lost does not have an unknown outcome`() throws {
    let save = try Save()
    save.proxy.set { $0 == .toClient && $1.contains("INSERT 0 1") ? .cut : .pass }
    #expect(save.run()?.kind == .connectionLost)
    #expect(try !save.isStored())
  }

  @Test
  func `a save that is cut at any byte reports its outcome correctly`() throws {
    // Cuts the client's bytes at increasing limits, and then the server's.
    var outcomes: Set<String> = []
    for direction in [FaultProxy.Direction.toServer, .toClient] {
      for limit in stride(from: 0, through: 400, by: 9) {
        let save = try Save()
        let passed = Mutex(0)
        save.proxy.set { which, bytes in
          guard which == direction else { return .pass }
          let total = passed.withLock { passed in
            passed += bytes.count
            return passed
          }
          return total > limit ? .cut : .pass
        }
        let error = save.run()
        let isStored = try save.isStored()
        switch error?.kind {
        case nil: #expect(isStored)
        case .outcomeUnknown: break
        default: #expect(!isStored, "\(direction) \(limit): \(String(describing: error))")
        }
        outcomes.insert("\(direction) \(error.map { "\($0.kind)" } ?? "saved")")
      }
    }
    #expect(
      outcomes.isSuperset(of: [
        "toServer connectionLost", "toServer outcomeUnknown", "toServer saved",
      ])
    )
    #expect(
      outcomes.isSuperset(of: [
        "toClient connectionLost", "toClient outcomeUnknown", "toClient saved",
      ])
    )
  }

  @Test(
    arguments: [
      [0x5A, 0, 0, 0, 4], [0x44, 0x7F, 0xFF, 0xFF, 0xFF], [0x44, 0, 0, 0, 5, 0xFF],
      [0x54, 0, 0, 0, 6, 0xFF, 0xFF], [UInt8](repeating: 0xFF, count: 64), [0x43, 0, 0, 0, 4],
      [0x5A, 0, 0, 0, 5, 0x49, 0x5A, 0, 0, 0, 5, 0x49],
    ] as [[UInt8]]
  )
  func `an invalid message of the server ends the connection with an error`(
    _ nonsense: [UInt8]
  ) throws {
    let save = try Save()
    save.proxy.set { $0 == .toClient && $1.contains("INSERT 0 1") ? .respond(nonsense) : .pass }
    let error = try #require(save.run())
    #expect(error.endsConnection)
    #expect(!save.connection.isOpen)
  }

  @Test
  func `an unresponsive server does not prevent a connection to the next host`() throws {
    let cluster = try PrivateCluster.shared()
    let silent = try FaultProxy(cluster)
    silent.set { _, _ in .swallow }
    var configuration = cluster.configuration(folder: silent.folder.path)
    configuration.hosts += cluster.configuration().hosts
    let connection = try Connection.open(
      configuration,
      deadline: .after(.seconds(2)),
      environment: [:]
    )
    #expect(connection.isOpen)
    silent.stop()
  }
}

@Suite("Connection pools", .needsServer, .timeLimit(.minutes(30)))
struct ConnectionPoolTests {
  private let pool: ConnectionPool

  init() throws { pool = ConnectionPool(try PrivateCluster.shared().configuration(), limit: 2) }

  private var soon: Deadline { .after(.seconds(60)) }

  private func backend(_ connection: Connection) throws -> Int32? {
    try connection.run(Statement("SELECT pg_backend_pid()")).value(0, 0)
  }

  @Test
  func `one connection is reused`() throws {
    let backends = try (0..<5).map { _ in try pool.withConnection(deadline: soon, backend) }
    #expect(Set(backends).count == 1)
    #expect(pool.counts == .init(open: 1, idle: 1, waiting: 0))
  }

  @Test
  func `any number of threads use no more connections than the limit`() throws {
    let backends = Mutex<Set<Int32?>>([])
    let most = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20 {
        do {
          let found = try pool.withConnection(deadline: .after(.seconds(120))) { connection in
            most.withLock { $0 = max($0, pool.counts.open) }
            return try backend(connection)
          }
          _ = backends.withLock { $0.insert(found) }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(backends.withLock { $0.count } <= 2)
    #expect(most.withLock { $0 } <= 2)
    #expect(pool.counts.waiting == 0)
    #expect(pool.counts.open == pool.counts.idle)
  }

  @Test
  func `waiting for a connection ends at the deadline`() throws {
    let small = ConnectionPool(pool.configuration, limit: 1)
    let error = #expect(throws: PostgreSQLError.self) {
      try small.withConnection(deadline: soon) { _ in
        try small.withConnection(deadline: .after(.zero)) { _ in }
      }
    }
    #expect(error?.kind == .deadlineExceeded)
    #expect(error?.message.contains("All 1 connections") == true)
    #expect(small.counts == .init(open: 1, idle: 1, waiting: 0))
  }

  @Test
  func `a connection with an open transaction is not reused`() throws {
    let first = try pool.withConnection(deadline: soon) { connection in
      try connection.begin(.init(.readCommitted))
      return try backend(connection)
    }
    #expect(pool.counts.open == 0)
    #expect(try pool.withConnection(deadline: soon, backend) != first)
  }

  @Test
  func `connections that the server closed are replaced without an error`() throws {
    let first = try pool.withConnection(deadline: soon, backend)
    let other = try PrivateCluster.shared().connect()
    try other.run(Statement("SELECT pg_terminate_backend($1, 60000)", [Parameter(first)]))
    let second = try pool.withConnection(deadline: soon, backend)
    #expect(second != first)
    #expect(pool.counts == .init(open: 1, idle: 1, waiting: 0))
  }

  @Test
  func `a lost connection closes the idle connections`() throws {
    let error = #expect(throws: PostgreSQLError.self) {
      try pool.withConnection(deadline: soon) { first in
        try pool.withConnection(deadline: soon) { _ in }
        #expect(pool.counts == .init(open: 2, idle: 1, waiting: 0))
        try first.run(Statement("SELECT pg_terminate_backend(pg_backend_pid())"))
      }
    }
    #expect(error?.kind == .connectionLost)
    #expect(pool.counts == .init(open: 0, idle: 0, waiting: 0))
  }

  @Test
  func `a connection that cannot be opened does not count toward the limit`() throws {
    var configuration = pool.configuration
    configuration.hosts = [.init(name: "/nowhere", port: 1)]
    let nowhere = ConnectionPool(configuration, limit: 1)
    for _ in 0..<2 {
      let error = #expect(throws: PostgreSQLError.self) {
        try nowhere.withConnection(deadline: soon) { _ in }
      }
      #expect(error?.kind == .cannotConnect)
    }
    #expect(nowhere.counts == .init(open: 0, idle: 0, waiting: 0))
  }

  @Test
  func `equal configurations share a pool, others do not`() {
    var configuration = pool.configuration
    configuration.database = "shared-" + UUID().uuidString
    configuration.password = Password("a")
    let shared = ConnectionPool.shared(configuration)
    #expect(ConnectionPool.shared(configuration) === shared)
    configuration.password = Password("a")
    #expect(ConnectionPool.shared(configuration) === shared)
    configuration.password = Password("b")
    #expect(ConnectionPool.shared(configuration) !== shared)
  }
}
