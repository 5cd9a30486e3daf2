import StoreFiles

/// How one connection is opened.
struct ConnectionOptions: Sendable {
  /// Where the database lives.
  enum Location: Equatable, Sendable {
    /// A file that exists already, by an absolute path without symbolic links.
    case file(String)

    /// A database of this connection's own, gone with it.
    case memory
  }

  /// What the connection may do.
  enum Role: Sendable {
    /// Reads and writes; the one connection of a process that does.
    case writer

    /// Reads only, and never checkpoints, not even at its close.
    case reader

    /// Reads a file that nobody may write to.
    case readOnlyFile
  }

  /// How much of a commit must have reached the disk when it returns.
  enum Synchronous: String, Sendable {
    /// An acknowledged commit survives a loss of power.
    case full = "FULL"

    /// A loss of power may take the last commits, as a whole each.
    case normal = "NORMAL"

    /// The system writes when it likes: a loss of power may damage the file.
    case off = "OFF"
  }

  var location: Location
  var role: Role = .writer
  var synchronous: Synchronous = .full

  /// How long a statement waits for another connection, in milliseconds.
  var busyTimeout: Int32 = 5_000

  /// How many bytes of pages are kept in memory, nil for what SQLite does by itself.
  var cacheSize: Int?

  /// How many prepared statements wait for their next use.
  var statementCapacity = 128

  /// The longest text, blob or row, in bytes.
  var maximumLength: Int32 = 1_000_000_000

  var log: StatementLog?

  /// The file of a store; nil for one in memory, and for copies.
  var file: DatabaseFile?

  /// The name of SQLite's access to files, its own where it is nil.
  var fileSystem: String?

  /// The files of large values, nil for a database in memory.
  var files: ValueFiles?
}
