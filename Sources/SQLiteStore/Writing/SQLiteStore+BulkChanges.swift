import StoreProtocol

extension SQLiteStore {
  /// Returns all of a bulk change, or nothing.
  ///
  /// The store makes all deletions. It makes updates of attributes that are neither unique nor
  /// stored in files or an index of words, if SQL can evaluate the whole filter. The new values are
  /// constants, or sums, differences and products of integers that do not overflow.
  func plan(of change: BulkChange) throws -> StorePlan {
    guard case .update(let query, let assignments) = change else {
      return StorePlan(allOf: .change(change))
    }
    do {
      let count = try database.read { connection in
        let update = try BulkUpdate(query, assignments, catalog: catalog, connection: connection)
        return update.computes ? try update.rowCount(on: connection) : nil as Int?
      }
      return StorePlan(allOf: .change(change), rowCount: count)
    } catch let error as DataStoreError
      where error == .unsupportedFeature || error == .invalidValue
    {
      return StorePlan(noneOf: .change(change))
    }
  }
}
