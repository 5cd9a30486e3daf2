import PostgreSQLClient
import StoreProtocol

extension StoreSave {
  /// Returns the checks that changed rows are stored, and removed ones are not.
  func checks(of changed: [Int64: DefaultSnapshot?]) -> [RowCheck] {
    let rows = changed.compactMap { key, old in self.rows.byKey[key] ?? old }
    return map.catalog.byRoot(rows).compactMap { root, rows in
      guard let table = map.tables[root] else { return nil }
      let keys = rows.compactMap(\.persistentIdentifier.integerKey)
      let stored = keys.compactMap { self.rows.byKey[$0] }
      return RowCheck(
        RowRequest(table, isIn: keys),
        count: stored.count,
        changed: stored.count { $0.version == result.version }
      )
    }
  }
}

extension DataStoreError {
  /// Returns the error of changes that a rule or a trigger of the database discards.
  static func discardedChanges(_ location: String, _ cause: PostgreSQLError?) -> DataStoreError {
    DataStoreError(
      .notSaved,
      "the server did not store rows as they were sent: a rule or a trigger of a table discards "
        + "changes; remove it (the server's log has the statement)",
      file: location,
      cause: cause
    )
  }
}
