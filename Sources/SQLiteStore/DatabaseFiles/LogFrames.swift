import StoreFiles

/// The frames of a write-ahead log that a recovery may count, according to its own bytes.
///
/// The format is on SQLite's page *WAL-mode File Format*. Only ``committedBytes(ofPage:count:)``
/// compares checksums. Frames after the last whole transaction are included if they were written
/// since the log last restarted.
struct LogFrames: Sendable {
  private static let headerSize = 32
  private static let frameHeaderSize = 24
  private static let marks: [[UInt8]] = [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
  /// The bytes of the header that have the salts, which each frame repeats.
  private static let salts = 16..<24

  /// The size of a page in bytes.
  private(set) var pageSize = 0
  /// The page number of each frame, from 1.
  private(set) var pages: [Int] = []
  private let log: File

  /// The offset at which the last frame ends, 0 if there is none.
  var end: Int {
    pages.isEmpty ? 0 : Self.headerSize + pages.count * (Self.frameHeaderSize + pageSize)
  }

  /// Reads the headers.
  init(of log: File) throws(FileError) {
    self.log = log
    let size = try log.status().size
    guard size >= Self.headerSize else { return }
    guard let header = try bytes(at: 0, count: Self.headerSize) else { return }
    guard Self.marks.contains(Array(header[..<4])) else { return }
    let pageSize = Self.number(header[8..<12])
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return }
    self.pageSize = pageSize
    var offset = Self.headerSize
    while offset + Self.frameHeaderSize + pageSize <= size {
      guard let frame = try bytes(at: offset, count: Self.frameHeaderSize) else { return }
      guard frame[8..<16].elementsEqual(header[Self.salts]) else { return }
      pages.append(Self.number(frame[..<4]))
      offset += Self.frameHeaderSize + pageSize
    }
  }

  /// Reads the beginning of a page as of the last whole transaction.
  ///
  /// It reads the log up to its end and compares checksums, since a power loss may leave half a
  /// frame.
  func committedBytes(ofPage page: Int, count: Int) throws(FileError) -> [UInt8]? {
    guard !pages.isEmpty, let header = try bytes(at: 0, count: Self.headerSize) else { return nil }
    var checksum = LogChecksum(isBigEndian: header[3] & 1 == 1)
    checksum.add(header[..<24])
    guard checksum.matches(header[24..<32]) else { return nil }
    var current: [UInt8]?
    var committed: [UInt8]?
    for (index, number) in pages.enumerated() {
      let size = Self.frameHeaderSize + pageSize
      guard let frame = try bytes(at: Self.headerSize + index * size, count: size) else { break }
      checksum.add(frame[..<8])
      checksum.add(frame[Self.frameHeaderSize...])
      guard checksum.matches(frame[16..<24]) else { break }
      if number == page {
        current = Array(frame[Self.frameHeaderSize...].prefix(count))
      }
      // The last frame of a transaction has the size of the database.
      if Self.number(frame[4..<8]) != 0 { committed = current }
    }
    return committed
  }

  /// Reads bytes of the log, or returns `nil` if another process has truncated it meanwhile.
  private func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try log.bytes(at: offset, count: count)
    } catch {
      guard error.code == FileError.unexpectedEnd else { throw error }
      return nil
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The running checksum of a write-ahead log: two sums over words of 32 bits.
private struct LogChecksum {
  let isBigEndian: Bool
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init(isBigEndian: Bool) {
    self.isBigEndian = isBigEndian
  }

  /// Adds bytes, a multiple of eight.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
      first &+= word(bytes[start..<start + 4], isBigEndian) &+ second
      second &+= word(bytes[start + 4..<start + 8], isBigEndian) &+ first
    }
  }

  /// Whether a stored checksum, which is big-endian in every log, equals this one.
  func matches(_ stored: ArraySlice<UInt8>) -> Bool {
    word(stored.prefix(4), true) == first && word(stored.suffix(4), true) == second
  }

  private func word(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt32 {
    let value = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return isBigEndian ? value : value.byteSwapped
  }
}
