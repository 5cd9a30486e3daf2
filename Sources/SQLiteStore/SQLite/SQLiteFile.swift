import CSQLite

/// A file of a connection, as SQLite has it open.
struct SQLiteFile {
  let pointer: UnsafeMutablePointer<sqlite3_file>
  private let table: UnsafePointer<sqlite3_io_methods>

  /// Finds the database file of a connection, or returns `nil` for one in memory.
  init?(of handle: OpaquePointer?) {
    self.init(of: handle, SQLITE_FCNTL_FILE_POINTER)
  }

  /// Finds the log of a connection, or the journal of one without a log; returns `nil` if none is
  /// open.
  init?(logOf handle: OpaquePointer?) {
    self.init(of: handle, SQLITE_FCNTL_JOURNAL_POINTER)
  }

  private init?(of handle: OpaquePointer?, _ question: Int32) {
    guard let handle else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(handle, "main", question, $0)
    }
    guard code == SQLITE_OK, let file, let table = file.pointee.pMethods else { return nil }
    self.pointer = file
    self.table = table
  }

  var methods: sqlite3_io_methods { table.pointee }
}
