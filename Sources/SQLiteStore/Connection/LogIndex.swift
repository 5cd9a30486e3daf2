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

  /// The number of the last transaction.
  let transaction: UInt32
  /// The number of frames in the log up to its end.
  let frameCount: Int
  /// The size of a page in bytes.
  let pageSize: Int

  /// The length of the log up to its last transaction: what follows counts only in a recovery.
  var logSize: Int {
    frameCount == 0 ? 0 : 32 + frameCount * (24 + pageSize)
  }

  /// Reads the header; nil where the connection has no index, or one that this code does not know.
  ///
  /// Nobody must commit meanwhile.
  init?(of handle: OpaquePointer?) {
    guard let region = Self.region(of: handle),
      region.load(as: UInt32.self) == Self.version
    else { return nil }
    transaction = region.load(fromByteOffset: 8, as: UInt32.self)
    let size = Int(region.load(fromByteOffset: 14, as: UInt16.self))
    // The largest size does not fit into the field, which is 1 then.
    pageSize = size == 1 ? 65_536 : size
    frameCount = Int(region.load(fromByteOffset: 16, as: UInt32.self))
    guard pageSize >= 512 else { return nil }
  }

  private static func region(of handle: OpaquePointer?) -> UnsafeMutableRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods,
      methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
    else { return nil }
    var region: UnsafeMutableRawPointer?
    // The connection has the region already; it is not made where it is not.
    guard map(file, 0, regionSize, 0, &region) == SQLITE_OK else { return nil }
    return region
  }
}
