import CSQLite

/// A function that SQLite calls with each row that it inserts, updates or deletes.
private final class RowObserver {
  typealias Note = (_ action: Int32, _ table: UnsafePointer<CChar>, _ key: Int64) -> Void

  let note: Note

  init(_ note: @escaping Note) { self.note = note }
}

extension Connection {
  /// Runs a body while a function is called with each changed row: the action, the table and the
  /// key.
  ///
  /// The action is `SQLITE_INSERT`, `SQLITE_UPDATE` or `SQLITE_DELETE`. A deletion without a
  /// condition is not reported. No other code may watch the connection meanwhile.
  func observingRows<Result>(
    _ note: (_ action: Int32, _ table: UnsafePointer<CChar>, _ key: Int64) -> Void,
    during body: () throws -> Result
  ) rethrows -> Result {
    try withoutActuallyEscaping(note) { note in
      let observer = RowObserver(note)
      let watched = handle
      sqlite3_update_hook(
        watched,
        { context, action, _, table, key in
          guard let context, let table else { return }
          Unmanaged<RowObserver>.fromOpaque(context).takeUnretainedValue().note(action, table, key)
        },
        Unmanaged.passUnretained(observer).toOpaque()
      )
      defer { if handle != nil { sqlite3_update_hook(watched, nil, nil) } }
      return try withExtendedLifetime(observer) { try body() }
    }
  }

  /// Runs a body, and returns the keys of a table's rows on which it performed one action, in
  /// order.
  ///
  /// Other rows that SQLite changes as a consequence are not reported, unless it is the same action
  /// on the same table. For a `RETURNING` clause SQLite would first keep all rows in a table of its
  /// own, which costs a third of a deletion.
  func changedKeys(
    _ action: Int32,
    in table: String,
    _ body: () throws -> Void
  ) rethrows -> [Int64] {
    var keys: [Int64] = []
    let name = table.utf8CString
    try name.withUnsafeBufferPointer { name in
      try observingRows(
        { changed, table, key in
          guard changed == action, sqlite3_stricmp(name.baseAddress, table) == 0 else { return }
          keys.append(key)
        },
        during: body
      )
    }
    return keys
  }
}
