import Foundation

/// How SQLite holds a value, whatever its column was declared as.
enum SQLStorage: Sendable {
  case integer
  case real
  case text
  case blob
  case null
}

/// Values that SQLite gives, by position: the columns of a row, or the arguments of a function.
protocol SQLRow {
  func storage(at index: Int) -> SQLStorage
  func integer(at index: Int) -> Int64
  func real(at index: Int) -> Double
  /// A text, nil when its bytes are not UTF-8.
  func text(at index: Int) -> String?
  func data(at index: Int) -> Data
  /// Lends the bytes of a blob or text.
  func withBytes<Result>(
    at index: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result
}

extension String {
  /// The text of some bytes, nil when they are not UTF-8, which only a damaged file or another
  /// program can cause.
  init?(exactly bytes: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    if bytes.isASCII {
      self = text
      return
    }
    // Bytes that are not Unicode were mended, and so are not the same. The initialiser that says
    // so itself is not specialised and takes twice as long.
    let isSame = text.utf8.withContiguousStorageIfAvailable { other in
      guard other.count == bytes.count, let base = other.baseAddress, let start = bytes.baseAddress
      else { return bytes.isEmpty }
      return memcmp(base, start, bytes.count) == 0
    }
    guard isSame == true else { return nil }
    self = text
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether all bytes are ASCII, eight looked at at a time.
  fileprivate var isASCII: Bool {
    let bytes = UnsafeRawBufferPointer(self)
    var bits: UInt64 = 0
    var index = 0
    while count - index >= 8 {
      bits |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < count {
      bits |= UInt64(self[index])
      index += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
