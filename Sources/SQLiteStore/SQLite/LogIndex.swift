import CSQLite

/// The extent of the write-ahead log according to SQLite's index of it.
///
/// The index is memory that all connections to a file share. Its header is described on SQLite's
/// page *WAL-mode File Format*, 2.1. A commit writes it last: after its frames, and after their
/// sync if there is one. So the header tells whether a failed commit took place, regardless of the
/// frames in the log.
struct LogIndex: Equatable, Sendable {
  /// The only existing version of the header.
  private static let version: UInt32 = 3_007_000
  private static let regionSize: Int32 = 32_768
  private static let checkpointedCountOffset = 96
  private static let begunCountOffset = 128

  /// The mark of the last transaction.
  let mark: Mark
  /// The number of the last transaction.
  let transaction: UInt32
  /// The number of frames in the log up to its end.
  let frameCount: Int
  /// The number of frames that were checkpointed into the database file.
  let checkpointedCount: Int
  /// The number of frames whose checkpoint a process has begun.
  ///
  /// A recovery, which has no record of the past, counts all as begun.
  let begunCount: Int
  /// The size of a page in bytes, 0 if there was no transaction since the index was made.
  let pageSize: Int
  /// The number of pages of the database after the last transaction, 0 if there was none since the
  /// index was made.
  let pageCount: Int

  /// The length of the log up to its last transaction; later frames count only in a recovery.
  var logSize: Int {
    frameCount == 0 ? 0 : 32 + frameCount * (24 + pageSize)
  }

  /// Whether a checkpoint was begun and did not succeed, or may not have.
  var hasUnfinishedCheckpoint: Bool { begunCount > checkpointedCount }

  /// Reads the header, or returns `nil` if it has another version.
  ///
  /// Except for the mark, no other connection may commit meanwhile. The connection must have the log
  /// open: otherwise an index would be opened here, and SQLite would not close it with the file.
  init?(of handle: OpaquePointer?) {
    guard let file = SQLiteFile(of: handle), let region = Self.region(of: file),
      region.load(as: UInt32.self) == Self.version
    else { return nil }
    mark = Mark(
      start: region.load(as: SIMD4<UInt64>.self),
      end: region.load(fromByteOffset: 32, as: SIMD2<UInt64>.self)
    )
    transaction = region.load(fromByteOffset: 8, as: UInt32.self)
    let size = Int(region.load(fromByteOffset: 14, as: UInt16.self))
    // The largest size does not fit into the field, which is then 1.
    pageSize = size == 1 ? 65_536 : size
    pageCount = Int(region.load(fromByteOffset: 20, as: UInt32.self))
    frameCount = Int(region.load(fromByteOffset: 16, as: UInt32.self))
    checkpointedCount = Int(
      region.load(fromByteOffset: Self.checkpointedCountOffset, as: UInt32.self)
    )
    begunCount = Int(region.load(fromByteOffset: Self.begunCountOffset, as: UInt32.self))
    guard pageSize >= 512 || frameCount == 0 else { return nil }
  }

  /// The first copy of the header, which changes with each transaction of any connection.
  ///
  /// It contains a checksum of the last frame and the salts of the log. If the log begins anew, or
  /// is recovered, it is therefore not the header of an earlier transaction. It may be read at any
  /// time; while another process commits, it may be that of no transaction.
  struct Mark: Equatable, Sendable {
    fileprivate let start: SIMD4<UInt64>
    fileprivate let end: SIMD2<UInt64>
  }

  private static func region(of file: SQLiteFile) -> UnsafeMutableRawPointer? {
    guard file.methods.iVersion >= 2, let map = file.methods.xShmMap else { return nil }
    var region: UnsafeMutableRawPointer?
    guard map(file.pointer, 0, regionSize, 0, &region) == SQLITE_OK else { return nil }
    return region
  }
}

/// A file of a connection, as SQLite has it open.
struct SQLiteFile {
  let pointer: UnsafeMutablePointer<sqlite3_file>
  private let table: UnsafePointer<sqlite3_io_methods>

  /// Finds the database file of a connection, or its log: `SQLITE_FCNTL_JOURNAL_POINTER`.
  ///
  /// It returns `nil` for a connection in memory, and for one that has neither a log nor a journal
  /// open.
  init?(of handle: OpaquePointer?, _ question: Int32 = SQLITE_FCNTL_FILE_POINTER) {
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
