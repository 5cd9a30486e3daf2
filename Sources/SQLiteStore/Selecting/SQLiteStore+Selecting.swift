import StoreProtocol

extension SQLiteStore {
  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try database.readSnapshot { connection in
      let reader = QueryReader(catalog: catalog, connection: connection)
      try SelectionReader(reader: reader).select(selection, body)
    }
  }
}
