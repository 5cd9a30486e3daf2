import Foundation

/// Strings with U+0000, which PostgreSQL's type `text` cannot store, as strings without it.
///
/// U+0000 becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. Order and equality stay the
/// same.
package enum TextEscape {
  private static let mark: UInt8 = 1

  /// Returns the stored form of a string.
  package static func escaped(_ text: String) -> String {
    let isMarked = text.utf8.withContiguousStorageIfAvailable { $0.contains { $0 <= mark } }
    if isMarked == false { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte <= mark { bytes.append(mark) }
      bytes.append(byte <= mark ? byte + 1 : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the string of a stored form, or `nil` if it is invalid.
  package static func unescaped(_ stored: String) -> String? {
    let isMarked = stored.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, Int32(mark), bytes.count) != nil } ?? false
    }
    if isMarked == false { return stored }
    var bytes: [UInt8] = []
    var iterator = stored.utf8.makeIterator()
    while let byte = iterator.next() {
      guard byte == mark else {
        bytes.append(byte)
        continue
      }
      guard let next = iterator.next(), next == 1 || next == 2 else { return nil }
      bytes.append(next - 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
