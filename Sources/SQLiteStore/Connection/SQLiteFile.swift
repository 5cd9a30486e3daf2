import CSQLite

/// A file of a connection, as SQLite has it open.
///
/// Whatever else would open the database file would drop all locks on it when it closes it.
struct SQLiteFile {
  let pointer: UnsafeMutablePointer<sqlite3_file>
  private let table: UnsafePointer<sqlite3_io_methods>

  /// The database file of a connection; nil for one in memory.
  init?(of handle: OpaquePointer?) {
    self.init(of: handle, SQLITE_FCNTL_FILE_POINTER)
  }

  /// The log of a connection, or the journal of one that has no log; nil where none is open.
  init?(logOf handle: OpaquePointer?) {
    self.init(of: handle, SQLITE_FCNTL_JOURNAL_POINTER)
  }

  private init?(of handle: OpaquePointer?, _ question: Int32) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(handle, "main", question, $0)
    }
    guard code == SQLITE_OK, let file, let table = file.pointee.pMethods else { return nil }
    self.pointer = file
    self.table = table
  }

  /// What can be done with it.
  var methods: sqlite3_io_methods { table.pointee }

  /// Its length in bytes.
  func size() throws(SQLiteError) -> Int {
    var size: sqlite3_int64 = 0
    try check(methods.xFileSize(pointer, &size))
    return Int(size)
  }

  /// Cuts it.
  func truncate(to size: Int) throws(SQLiteError) {
    try check(methods.xTruncate(pointer, sqlite3_int64(size)))
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else {
      throw SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
  }
}
