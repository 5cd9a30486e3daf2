import StoreFiles

/// The options with which one connection is opened.
struct ConnectionOptions: Sendable {
  /// The location of the database.
  enum Location: Equatable, Sendable {
    /// A file that exists already, by an absolute path without symbolic links.
    case file(String)

    /// A database of this connection's own, which ends with it.
    case memory
  }

  /// The operations that the connection may perform.
  enum Role: Sendable {
    /// Reads and writes; each process has one such connection.
    case writer

    /// Reads only, and never checkpoints, not even on close.
    case reader

    case readOnlyFile
  }

  /// The guarantee for a commit that has returned.
  enum Synchronous: String, Sendable {
    /// An acknowledged commit survives a power loss.
    case full = "FULL"

    /// A power loss may lose the last commits, each as a whole.
    case normal = "NORMAL"

    /// The system chooses when to write: a power loss may damage the file.
    case off = "OFF"
  }

  var location: Location
  /// Whether no process changes the file, so that SQLite takes no locks and needs no other file.
  var isImmutable = false
  var role: Role = .writer
  var synchronous: Synchronous = .full

  /// The time that a statement waits for another connection, in milliseconds.
  var busyTimeout: Int32 = 5_000

  /// The number of bytes of pages that are kept in memory, or `nil` for SQLite's default.
  var cacheSize: Int?

  /// The number of prepared statements in the cache.
  var statementCapacity = 128

  var log: StatementLog?

  /// The file of a store, or `nil` for a database in memory and for copies.
  var file: DatabaseFile?

  /// The name of SQLite's file system layer (VFS), or `nil` for its default.
  var fileSystem: String?

  /// The files of large values, or `nil` for a database in memory.
  var files: ValueFiles?

  /// The fingerprint of the schema that the file must have, or `nil` for any.
  var fingerprint: String?
}
