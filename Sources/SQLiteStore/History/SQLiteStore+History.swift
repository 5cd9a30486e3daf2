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
    try database.readSnapshot(HistoryTable.bounds)
  }
}
