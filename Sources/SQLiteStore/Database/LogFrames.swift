import StoreFiles

/// The frames of a write-ahead log that a recovery may count, as its own bytes say.
///
/// The format is on SQLite's page *WAL-mode File Format*. Checksums are not compared: what follows the
/// last whole transaction is among the frames where it was written since the log was last begun anew.
struct LogFrames: Sendable {
  private static let headerSize = 32
  private static let frameHeaderSize = 24
  private static let marks: [[UInt8]] = [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
  /// How many frames' headers are read before the array grows.
  private static let salts = 16..<24

  /// The size of a page in bytes.
  private(set) var pageSize = 0
  /// The number of the page of each frame, from 1.
  private(set) var pages: [Int] = []
  private let log: File

  /// Where the last frame ends: 0 where there is none.
  var end: Int {
    pages.isEmpty ? 0 : Self.headerSize + pages.count * (Self.frameHeaderSize + pageSize)
  }

  /// Reads the headers.
  init(of log: File) throws(FileError) {
    self.log = log
    let size = try log.status().size
    guard size >= Self.headerSize else { return }
    let header = try log.bytes(at: 0, count: Self.headerSize)
    guard Self.marks.contains(Array(header[..<4])) else { return }
    let pageSize = Self.number(header[8..<12])
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return }
    self.pageSize = pageSize
    var offset = Self.headerSize
    while offset + Self.frameHeaderSize + pageSize <= size {
      let frame = try log.bytes(at: offset, count: Self.frameHeaderSize)
      guard frame[8..<16].elementsEqual(header[Self.salts]) else { return }
      pages.append(Self.number(frame[..<4]))
      offset += Self.frameHeaderSize + pageSize
    }
  }

  /// Reads the beginning of the last frame of a page, or returns `nil` if there is none.
  func bytes(ofPage page: Int, count: Int) throws(FileError) -> [UInt8]? {
    guard let frame = pages.lastIndex(of: page) else { return nil }
    let offset = Self.headerSize + frame * (Self.frameHeaderSize + pageSize)
    return try log.bytes(at: offset + Self.frameHeaderSize, count: count)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
