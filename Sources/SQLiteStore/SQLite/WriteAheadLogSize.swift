import CSQLite

/// The length of the write-ahead log, as SQLite reports it after each commit.
final class WriteAheadLogSize {
  private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init() {
    pages.initialize(to: 0)
  }

  deinit {
    pages.deallocate()
  }

  var pageCount: Int { Int(pages.pointee) }

  /// Watches a connection, which must be closed before this object is deallocated.
  ///
  /// The hook replaces SQLite's own, which would checkpoint automatically.
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
