import Foundation

extension String {
  /// Creates the string of some bytes, or returns `nil` if they are not UTF-8.
  ///
  /// Only a damaged file or another program can cause that.
  package init?(exactly bytes: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    if bytes.isASCII {
      self = text
      return
    }
    // Invalid bytes were replaced, and so differ. The validating initializer is not specialized and
    // takes twice as long.
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
  /// Whether all bytes are ASCII; eight are tested at a time.
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
