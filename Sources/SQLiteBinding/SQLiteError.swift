import CSQLite

/// An error of SQLite, before a store translates it into an error of the contract.
///
/// The message is SQLite's own, which names tables and columns and never contains a stored value.
/// The statement's SQL contains none either, since every value is bound.
@usableFromInline
package struct SQLiteError: Error, Sendable {
  /// The kinds of error that the store distinguishes.
  package enum Kind: Sendable {
    case busy
    case full
    case ioerr
    case corrupt
    case notADatabase
    case constraint
    case readOnly
    case schema
    case otherSchema
    case cannotOpen
    case tooBig
    case interrupted
    case other
  }

  /// SQLite's primary result code.
  package let code: Int32

  /// SQLite's extended result code, equal to the primary one if SQLite gives no more detail.
  package let extendedCode: Int32

  /// SQLite's message.
  package let message: String

  /// The SQL of the statement that failed.
  package let sql: String?

  /// The version of the schema that another program gave the store, or `nil` for other errors.
  package let schemaVersion: String?

  /// The system's error number, 0 if the system was not involved.
  package let systemCode: Int32

  package init(extendedCode: Int32, message: String, sql: String? = nil, systemCode: Int32 = 0) {
    self.code = extendedCode & 0xFF
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.systemCode = systemCode
    schemaVersion = nil
  }

  /// Creates the error of a store that another program has migrated to a version.
  package init(schemaVersion: String) {
    (code, extendedCode, systemCode) = (SQLITE_SCHEMA, SQLITE_SCHEMA, 0)
    message = "the schema has the version \(schemaVersion)"
    sql = nil
    self.schemaVersion = schemaVersion
  }

  /// Reads the error that a connection reports for its last call.
  package init(connection: OpaquePointer?, code: Int32, sql: String? = nil) {
    let reported = connection.map { sqlite3_extended_errcode($0) } ?? code
    // A later call on the connection may have cleared its error; then the returned code is used.
    let extended = reported & 0xFF == code & 0xFF ? reported : code
    let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(
      extendedCode: extended,
      message: text.map { String(cString: $0) } ?? "",
      sql: sql,
      systemCode: connection.map { sqlite3_system_errno($0) } ?? 0
    )
  }

  /// The meaning of the code for the store.
  package var kind: Kind {
    switch code {
    // SQLite returns the last one to a reader that met the locks of others for some seconds.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    case SQLITE_IOERR: .ioerr
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_READONLY: .readOnly
    case SQLITE_SCHEMA: schemaVersion == nil ? .schema : .otherSchema
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
    case SQLITE_TOOBIG: .tooBig
    case SQLITE_INTERRUPT, SQLITE_ABORT: .interrupted
    default: .other
    }
  }

  /// Whether the connection must be closed and opened again before the next save.
  ///
  /// After a failed write or sync the page cache and the file may differ, and a second sync may
  /// report a success that never happened.
  package var makesConnectionUnusable: Bool {
    switch kind {
    case .ioerr, .full, .corrupt, .notADatabase: true
    default: false
    }
  }

  /// Whether a unique index refused a row.
  package var isUniqueViolation: Bool {
    // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY are macros that Swift does not import.
    extendedCode == SQLITE_CONSTRAINT | (8 << 8) || extendedCode == SQLITE_CONSTRAINT | (6 << 8)
  }
}

extension SQLiteError: CustomStringConvertible {
  @usableFromInline package var description: String {
    let statement = sql.map { " in \($0)" } ?? ""
    return "SQLite error \(extendedCode): \(message)\(statement)"
  }
}
