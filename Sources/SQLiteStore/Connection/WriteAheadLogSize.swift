import CSQLite

/// How long the write-ahead log is, as SQLite tells after each commit.
final class WriteAheadLogSize {
  private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init() {
    pages.initialize(to: 0)
  }

  deinit {
    pages.deallocate()
  }

  var pageCount: Int { Int(pages.pointee) }

  /// Listens to a connection, which must be closed before this object goes.
  ///
  /// The hook replaces SQLite's own, the one that would checkpoint by itself.
  func watch(_ connection: OpaquePointer?) {
    sqlite3_wal_hook(
      connection,
      { context, _, _, pageCount in
        context?.storeBytes(of: pageCount, as: Int32.self)
        return SQLITE_OK
      },
      pages
    )
  }
}
