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
    try database.write { connection in
      try checkSchema(on: connection)
      try HistoryWriter(connection: connection).delete(filter)
    }
  }

  public func historyBounds() throws -> HistoryBounds {
    try database.readSnapshot { try HistoryTable.bounds(of: identifier, on: $0) }
  }

  public func historyReaders() throws -> [HistoryReaderPosition] {
    try database.readSnapshot { try ReaderTable(connection: $0).positions() }
  }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try database.write { connection in
      try checkSchema(on: connection)
      try ReaderTable(connection: connection).set(position)
    }
  }

  public func removeHistoryReader(_ name: String) throws {
    try database.write { connection in
      try checkSchema(on: connection)
      try ReaderTable(connection: connection).remove(name)
    }
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try database.readSnapshot { try HistoryTable.save(at: number, of: identifier, on: $0) }
  }
}
