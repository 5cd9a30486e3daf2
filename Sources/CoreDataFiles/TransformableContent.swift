/// The content of a transformable attribute, recognized by its first bytes.
package enum TransformableContent: Sendable {
  /// A keyed archive or a property list, decoded.
  case value(ArchivedValue)
  /// JSON, which SwiftData writes for arrays and structures within a structure.
  case json
  /// Another encoding, or an archive of `NSArchiver` (`streamtyped`), which is not read.
  case bytes

  /// Recognizes and decodes bytes.
  ///
  /// - Throws: ``FormatError`` if they begin as a property list and are damaged.
  package init(_ bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError) {
    if PropertyList.isPropertyList(bytes) {
      self = .value(try ArchivedValue(propertyList: bytes, limits: limits))
    } else if let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      self = .json
    } else {
      self = .bytes
    }
  }
}
