import Foundation
import OpenSwiftData
import Synchronization

extension Workload {
  private static let clients = 64
  private static let connections = 32

  /// One new object a save, by many clients that share connections, each in one of many stores.
  static func postgreSQLTenants(_ scene: Scene) throws -> Workload {
    let stores = scene.rows(1_000)
    let saves = scene.rows(2_048) / clients * clients
    let server = try scene.postgreSQL()
    let tenants = try server.tenants(stores, named: "tenant")
    // Saves by others would change the numbers that a store expects.
    let byHand = try server.tenants(stores, named: "hand")
    let schema = Schema([Item.self])
    let containers = ModelContainerCache(for: schema, limit: stores) {
      try tenants.database.configuration(ofStore: $0)
    }
    // Opening is another task.
    for name in tenants.names { _ = try containers.container(named: name) }
    let connections = RawConnections(
      try (0..<Self.connections).map { _ in try server.connection() }
    )
    let rounds = Mutex(0)

    /// Lets the clients save the records of a round, and counts the rows that this adds.
    func contender(
      _ name: String,
      _ role: Role,
      _ tenants: TenantStores,
      _ save: @escaping @Sendable (_ store: String, Record) throws -> Void
    ) -> Contender {
      Contender(name: name, role: role) { watch in
        let round = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        let before = try tenants.rows()
        try watch.time {
          try onThreads(clients) { client in
            for index in stride(from: client, to: saves, by: clients) {
              let number = round * saves + index
              try save(tenants.names[number &* 7_919 % stores], Record(number))
            }
          }
        }
        return UInt64(try tenants.rows() - before)
      }
    }
    return Workload(
      title: "saves of one new object by 64 clients with 32 connections to 1,000 stores",
      unit: "object",
      count: saves,
      targets: [Target(ratio: 1.3, clock: .wall)],
      expected: UInt64(saves),
      contenders: [
        contender("libpq by hand, INSERT in one round trip", .control, byHand) { store, record in
          try connections.withConnection { try $0.add(PlainItem(record), to: store) }
        },
        contender(Contender.engineName, .engine, tenants) { store, record in
          let context = ModelContext(try containers.container(named: store))
          context.insert(Item(record))
          try context.save()
        },
        contender(Contender.limitName, .limit, byHand) { store, record in
          try connections.withConnection { try $0.save(PlainItem(record), to: store) }
        },
      ]
    )
  }
}

/// The stores of one database, one for each tenant.
struct TenantStores: Sendable {
  let database: PostgreSQLDatabase
  let names: [String]
  private let counter: RawConnections

  /// Creates the stores that do not exist yet.
  init(_ database: PostgreSQLDatabase, names: [String], counting connection: RawPostgreSQL) throws {
    self.database = database
    self.names = names
    counter = RawConnections([connection])
    let existing = Set(try database.stores().map(\.name))
    let new = names.filter { !existing.contains($0) }
    try onThreads(4) { thread in
      for index in stride(from: thread, to: new.count, by: 4) {
        try database.createStore(named: new[index])
      }
    }
  }

  /// The number of items in all stores.
  func rows() throws -> Int {
    try counter.withConnection { connection in
      try names.reduce(0) { try $0 + connection.number("SELECT count(*) FROM \($1).\"Item\"") }
    }
  }
}

/// Connections that threads wait for, as those of a pool.
final class RawConnections: @unchecked Sendable {
  // Its lock guards the connections.
  private let condition = NSCondition()
  private var free: [RawPostgreSQL]

  init(_ connections: [RawPostgreSQL]) { free = connections }

  func withConnection<Result>(_ body: (RawPostgreSQL) throws -> Result) throws -> Result {
    condition.lock()
    while free.isEmpty { condition.wait() }
    let connection = free.removeLast()
    condition.unlock()
    defer {
      condition.lock()
      free.append(connection)
      condition.signal()
      condition.unlock()
    }
    return try body(connection)
  }
}

/// Runs a body on each of some threads, and throws one of the errors.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let failure = FirstError()
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      do { try body(number) } catch { failure.error.withLock { $0 = $0 ?? error } }
    }
  }
  group.wait()
  if let error = failure.error.withLock({ $0 }) { throw error }
}

private final class FirstError: Sendable {
  let error = Mutex<(any Error)?>(nil)
}
