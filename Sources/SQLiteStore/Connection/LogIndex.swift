import CSQLite

/// How far the write-ahead log counts, as SQLite's index of it says.
///
/// The index is memory that all connections to a file share. Its header is described on SQLite's
/// page *WAL-mode File Format*, 2.1. A commit writes it last: after its frames, and after their sync
/// where there is one. So the header tells of a commit that failed whether it happened, whatever
/// the log holds.
struct LogIndex: Equatable, Sendable {
  /// The only version of the header that there is.
  private static let version: UInt32 = 3_007_000
  private static let regionSize: Int32 = 32_768
  private static let foldedCountOffset = 96
  private static let begunCountOffset = 128

  /// The number of the last transaction.
  let transaction: UInt32
  /// The number of frames in the log up to its end.
  let frameCount: Int
  /// The number of frames that were folded into the database file.
  let foldedCount: Int
  /// The number of frames that somebody has begun to fold.
  ///
  /// A recovery, which knows nothing of the past, takes all for begun.
  let begunCount: Int
  /// The size of a page in bytes.
  let pageSize: Int
  /// The number of pages of the database after the last transaction, 0 where there was none since the
  /// index was made.
  let pageCount: Int

  /// The length of the log up to its last transaction: what follows counts only in a recovery.
  var logSize: Int {
    frameCount == 0 ? 0 : offset(ofFrame: frameCount)
  }

  /// Whether a fold was begun and did not end well, or may have been.
  var hasUnfinishedFold: Bool { begunCount > foldedCount }

  /// Where a frame begins in the log; they are counted from zero.
  func offset(ofFrame number: Int) -> Int { 32 + number * (24 + pageSize) }

  /// Reads the header; nil where there is one that this code does not know.
  ///
  /// Nobody must commit meanwhile. The connection must have the log open: another one would open an
  /// index here, and SQLite would not know of it when it closes the file.
  init?(of handle: OpaquePointer?) {
    guard let file = SQLiteFile(of: handle), let region = Self.region(of: file),
      region.load(as: UInt32.self) == Self.version
    else { return nil }
    transaction = region.load(fromByteOffset: 8, as: UInt32.self)
    let size = Int(region.load(fromByteOffset: 14, as: UInt16.self))
    // The largest size does not fit into the field, which is 1 then.
    pageSize = size == 1 ? 65_536 : size
    pageCount = Int(region.load(fromByteOffset: 20, as: UInt32.self))
    frameCount = Int(region.load(fromByteOffset: 16, as: UInt32.self))
    foldedCount = Int(region.load(fromByteOffset: Self.foldedCountOffset, as: UInt32.self))
    begunCount = Int(region.load(fromByteOffset: Self.begunCountOffset, as: UInt32.self))
    guard pageSize >= 512 else { return nil }
  }

  private static func region(of file: SQLiteFile) -> UnsafeMutableRawPointer? {
    guard file.methods.iVersion >= 2, let map = file.methods.xShmMap else { return nil }
    var region: UnsafeMutableRawPointer?
    guard map(file.pointer, 0, regionSize, 0, &region) == SQLITE_OK else { return nil }
    return region
  }
}
