import Foundation
import StoreProtocol

/// A row's reference to a value in a separate file.
///
/// The name is created with the file and never reused. A reader of a name reads the value that was
/// written under it, or detects by size and checksum that it is another one. A name in a row is
/// accepted only if it consists of 32 hexadecimal digits.
package struct FileReference: Hashable, Sendable {
  /// The file's name.
  package let name: String
  /// The number of the value's bytes.
  package let size: Int
  /// The CRC-32C of the bytes.
  package let checksum: UInt32

  /// Creates a reference, or returns `nil` if the name is invalid or the size is negative.
  package init?(name: String, size: Int, checksum: UInt32) {
    guard Self.isName(name), size >= 0 else { return nil }
    self.name = name
    self.size = size
    self.checksum = checksum
  }

  /// Creates a reference from its text, or returns `nil` for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 11, let checksum = UInt32(parts[9], radix: 16),
      let size = Int(parts[6].dropFirst().dropLast()),
      let reference = FileReference(name: String(parts[3]), size: size, checksum: checksum),
      reference.text == text
    else { return nil }
    self = reference
  }

  /// The reference as JSON: `{"$file":"…","bytes":20000,"crc32c":"0a1b2c3d"}`.
  package var text: String {
    "{\"$file\":\"\(name)\",\"bytes\":\(size),\"crc32c\":\"\(checksum.hexadecimal)\"}"
  }

  /// Returns whether a string has the form of a name: 32 lowercase hexadecimal digits.
  package static func isName(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.areHexadecimal
  }
}
