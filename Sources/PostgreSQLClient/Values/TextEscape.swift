/// Strings with U+0000, which PostgreSQL's type `text` cannot store, as strings without it.
///
/// U+0000 becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. Order and equality stay the
/// same.
package enum TextEscape {
  private static let mark: UInt8 = 1

  /// Returns the stored form of a string.
  package static func escaped(_ text: String) -> String {
    guard text.has({ $0 <= mark }) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte <= mark { bytes.append(mark) }
      bytes.append(byte <= mark ? byte + 1 : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the string of a stored form, or `nil` if it is invalid.
  package static func unescaped(_ stored: String) -> String? {
    guard stored.has({ $0 == mark }) else { return stored }
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

extension String {
  /// Returns whether any byte satisfies a condition.
  fileprivate func has(_ condition: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.contains(where: condition) }
      ?? utf8.contains(where: condition)
  }
}
