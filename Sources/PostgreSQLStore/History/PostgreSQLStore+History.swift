import Foundation
import PostgreSQLClient
import StoreHelpers
import StoreProtocol

extension PostgreSQLStore {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    let log = try session.read { connection in
      try StoredHistory(map, connection).log(for: query)
    }
    return log.entries(query).map { $0.record.transaction(storeIdentifier: identifier) }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try session.write { connection in
      // The lock keeps other connections from adding transactions.
      let lock = Statement("SELECT FROM \(map.space)._meta FOR UPDATE")
      _ = try session.run([lock], on: connection)
      try connection.commit(try StoredHistory(map, connection).delete(filter))
    }
  }

  public func historyBounds() throws -> HistoryBounds {
    try session.read { connection in
      let history = StoredHistory(map, connection)
      let last = try history.lastSave()
      return try history.log(endingAt: last).bounds(last: last, in: identifier)
    }
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try session.read { connection in
      try StoredHistory(map, connection).log(endingAt: number)
    }
    .saveIdentifier(at: number, in: identifier)
  }

  public func historyReaders() throws -> [HistoryReaderPosition] {
    try session.read { connection in
      try StoredHistory(map, connection).log(withGroups: false, limit: 0)
    }
    .sortedReaders
  }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try session.write { connection in
      try connection.commit(StoredHistory(map, connection).set(position))
    }
  }

  public func removeHistoryReader(_ name: String) throws {
    try session.write { connection in
      try connection.commit(StoredHistory(map, connection).removeReader(name))
    }
  }
}
