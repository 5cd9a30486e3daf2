import Foundation
import PostgreSQLClient
import StoreHelpers
import StoreProtocol

extension PostgreSQLStore {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try query.evaluate(over: log(withGroups: true).log.entries)
      .map { $0.record.transaction(storeIdentifier: identifier) }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try session.write { connection in
      // The lock keeps other connections from adding transactions.
      try connection.run(Statement("SELECT FROM \(map.space)._meta FOR UPDATE"))
      try connection.commit(try StoredHistory(map, connection).delete(filter))
    }
  }

  public func historyBounds() throws -> HistoryBounds {
    let (log, last) = try log(withGroups: false)
    return log.bounds(last: last, in: identifier)
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try log(withGroups: false).log.saveIdentifier(at: number, in: identifier)
  }

  public func historyReaders() throws -> [HistoryReaderPosition] {
    try log(withGroups: false).log.sortedReaders
  }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try session.write { connection in
      try connection.commit([StoredHistory(map, connection).set(position)])
    }
  }

  public func removeHistoryReader(_ name: String) throws {
    try session.write { connection in
      try connection.commit([StoredHistory(map, connection).removeReader(name)])
    }
  }

  private func log(
    withGroups: Bool
  ) throws -> (log: HistoryLog<StoredTransaction>, last: Int64) {
    try session.read { connection in
      let history = StoredHistory(map, connection)
      return (try history.log(withGroups: withGroups), try history.lastSave())
    }
  }
}
