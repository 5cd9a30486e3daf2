import CSQLite

/// A file of a connection, as SQLite has it open.
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
    guard let handle else { return nil }
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
}
