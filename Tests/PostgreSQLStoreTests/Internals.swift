import Foundation
import PostgreSQLClient
import StoreProtocol
import StoreTestSupport
import Testing

@testable import PostgreSQLStore

/// What several tests need to know that the store's interface does not offer.
extension PostgreSQLStore {
  /// The quoted name of the schema.
  var space: String { session.space }

  /// Executes a statement of an administrator, and returns the integer in the first row, if any.
  @discardableResult
  func administrate(_ sql: String) throws -> Int64? {
    try session.write { connection in
      let result = try connection.run(Statement(sql))
      return result.rowCount > 0 ? try result.value(0, 0, as: Int64.self) : nil
    }
  }

  /// The round trips of the connection that a read gets.
  func roundTrips() throws -> Int {
    try session.read(isAlone: true) { $0.roundTrips }
  }

  /// The number of an entity's rows in the database for which a condition in SQL holds.
  func count(of entity: String, where condition: String) throws -> Int64? {
    let table = try map.table(of: entity).name
    return try session.read(isAlone: true) { connection in
      try connection.run(
        Statement("SELECT count(*) FROM \(table) WHERE \(condition)")
      ).value(0, 0, as: Int64.self)
    }
  }

  /// The number of rows that SQL lets through for a query that it cannot evaluate alone.
  func rowsLeftToSwift(_ query: StoreQuery) throws -> Int {
    let plan = try QueryPlan(query, map)
    #expect(!plan.isNative)
    return try session.read { connection in
      try connection.run(plan.request.statement(selecting: "_key")).rowCount
    }
  }

  /// Whether the store discards the server's groups, and computes them from the rows.
  func isLeftToSwift(_ selection: StoreSelection) throws -> Bool {
    let plan = try QueryPlan(selection.rowQuery, map)
    let groups = try #require(try GroupStatement(selection, plan, map))
    return try session.read(isAlone: true) { try groups.rows($0.run(groups.statement)) } == nil
  }

  /// The name in SQL of an entity or property.
  static func quoted(_ name: String) throws -> String {
    try SQLIdentifier.quoted(name)
  }
}

extension PostgreSQLDatabase {
  /// The values in the first column of a statement's rows.
  @discardableResult
  func run(_ sql: String) throws -> [String] {
    try pool.withConnection(deadline: .after(.seconds(60))) { connection in
      let result = try connection.run(Statement(sql))
      return try (0..<result.rowCount).compactMap { try result.value($0, 0, as: String.self) }
    }
  }
}

extension PostgreSQLStore: GroupedStore {
  /// The number of saves that wait for another one.
  package var waitingSaves: Int { writer.group.waitingCount }

  /// Runs code while all saves wait for it, without a transaction.
  package func betweenSaves<Result>(_ body: () throws -> Result) rethrows -> Result {
    try writer.group.alone(body)
  }
}
