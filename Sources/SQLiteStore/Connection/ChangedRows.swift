import CSQLite

/// The keys of the rows of one table that a statement inserts, updates or deletes.
///
/// SQLite reports each row as it changes it. For a `RETURNING` clause it would first keep all of
/// them in a table of its own, which costs a third of a deletion.
final class ChangedRows {
  private let action: Int32
  private let table: ContiguousArray<CChar>
  private var keys: [Int64] = []

  private init(_ action: Int32, _ table: String) {
    self.action = action
    self.table = table.utf8CString
  }

  /// Runs a body, and returns the keys of a table's rows on which it performed one action, in
  /// order.
  ///
  /// The action is `SQLITE_DELETE` or `SQLITE_UPDATE`. Other rows that SQLite changes as a
  /// consequence are not reported, unless it is the same action on the same table. A deletion must
  /// have a condition: one of all rows is not reported. No other code may watch the connection
  /// meanwhile.
  static func keys(
    _ action: Int32,
    in table: String,
    on connection: Connection,
    _ body: () throws -> Void
  ) rethrows -> [Int64] {
    let rows = ChangedRows(action, table)
    let handle = connection.handle
    sqlite3_update_hook(
      handle,
      { context, action, _, table, key in
        guard let context, let table else { return }
        Unmanaged<ChangedRows>.fromOpaque(context).takeUnretainedValue().note(action, table, key)
      },
      Unmanaged.passUnretained(rows).toOpaque()
    )
    defer { if connection.handle != nil { sqlite3_update_hook(handle, nil, nil) } }
    try body()
    return withExtendedLifetime(rows) { rows.keys }
  }

  private func note(_ action: Int32, _ table: UnsafePointer<CChar>, _ key: Int64) {
    guard action == self.action,
      self.table.withUnsafeBufferPointer({ sqlite3_stricmp($0.baseAddress, table) }) == 0
    else { return }
    keys.append(key)
  }
}
