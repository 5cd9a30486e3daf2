import StoreProtocol

extension SQLiteStore {
  /// Deletes whatever a query finds; updates attributes that are neither unique nor kept elsewhere
  /// as well, with known values and sums, differences and products of whole numbers, where SQL
  /// judges the whole filter and none of the numbers overflows.
  public func supports(_ change: BulkChange) throws -> Bool {
    guard case .update(let query, let assignments) = change else { return true }
    do {
      return try database.read { connection in
        try BulkUpdate(query, assignments, catalog: catalog, connection: connection)
          .check(on: connection)
        return true
      }
    } catch let error as DataStoreError
      where error.code == .unsupportedFeature || error.code == .invalidValue
    {
      return false
    }
  }
}
