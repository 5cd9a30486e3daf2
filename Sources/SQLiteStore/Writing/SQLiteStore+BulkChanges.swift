import StoreProtocol

extension SQLiteStore {
  /// Returns whether the store supports a bulk change.
  ///
  /// It supports all deletions. It supports updates of attributes that are neither unique nor
  /// stored in files or an index of words, if SQL can evaluate the whole filter. The new values are
  /// constants, or sums, differences and products of integers that do not overflow.
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
