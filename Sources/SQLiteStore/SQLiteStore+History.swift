import Foundation
import StoreProtocol

extension SQLiteStore: HistoryKeeping {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try database.readSnapshot { connection in
      guard try HistoryTable.exists(on: connection) else { return [] }
      return try HistoryReader(connection: connection, storeIdentifier: identifier)
        .transactions(query)
    }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try database.write { try HistoryWriter(connection: $0).delete(filter) }
  }

  public func historyBounds() throws -> HistoryBounds {
    try database.readSnapshot { try HistoryTable.bounds(of: identifier, on: $0) }
  }

  public func historyReaders() throws -> [HistoryReaderPosition] {
    try database.readSnapshot { try ReaderTable(connection: $0).positions() }
  }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try database.write { try ReaderTable(connection: $0).set(position) }
  }

  public func removeHistoryReader(_ name: String) throws {
    try database.write { try ReaderTable(connection: $0).remove(name) }
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try database.readSnapshot { try HistoryTable.save(at: number, of: identifier, on: $0) }
  }
}
