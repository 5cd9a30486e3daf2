import Foundation
import PostgreSQLTestSupport
import Testing

@testable import PostgreSQLClient

@Suite("Connections after fork()", .needsServer, .timeLimit(.minutes(30)))
struct ForkTests {
  private func kind(_ body: () throws -> Void) -> PostgreSQLError.Kind? {
    do { try body() } catch let error as PostgreSQLError { return error.kind } catch {}
    return nil
  }

  @Test
  func `a child cannot use an inherited connection, and does not end it for the parent`() throws {
    let connection = try PrivateCluster.shared().connect()
    let one = Statement("SELECT 1::int8")
    try connection.run(one)
    let numbers = try ForkedChild.numbers(3) {
      guard kind({ try connection.run(one) }) == .inherited, !connection.isOpen else { return 1 }
      connection.close()
      return 0
    }
    #expect(numbers == [0, 0, 0])
    #expect(try connection.run(one).value(0, 0) == Int64(1))
  }

  @Test
  func `a child cannot use an inherited pool, and gets one of its own`() throws {
    var configuration = try PrivateCluster.shared().configuration()
    configuration.parameters["application_name"] = "forks"
    let pool = ConnectionPool.shared(configuration)
    let soon = Deadline.after(.seconds(60))
    let backend = Statement("SELECT pg_backend_pid()")
    func process(_ pool: ConnectionPool) throws -> Int32? {
      try pool.withConnection(deadline: soon) { try $0.run(backend).value(0, 0) }
    }
    let own = try process(pool)
    let numbers = try ForkedChild.numbers(3) {
      guard kind({ _ = try process(pool) }) == .inherited else { return 1 }
      let other = ConnectionPool.shared(configuration)
      guard let number = try? process(other) else { return 2 }
      return number == own ? 3 : 0
    }
    #expect(numbers == [0, 0, 0])
    #expect(try process(pool) == own)
    #expect(ConnectionPool.shared(configuration) === pool)
  }
}
