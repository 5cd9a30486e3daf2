/// An error that describes bytes that are not in their format.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The formats that this module reads.
  package enum Format: String, Sendable {
    case deflate = "DEFLATE data"
    case propertyList = "property list"
    case keyedArchive = "keyed archive"
    case model = "managed object model"
    case xml = "XML document"
  }

  /// The format that was expected.
  package let format: Format
  package let reason: String
  /// The offset of the first wrong byte, or `nil` if the error has no position.
  package let offset: Int?

  package init(_ format: Format, _ reason: String, at offset: Int? = nil) {
    self.format = format
    self.reason = reason
    self.offset = offset
  }

  /// The reason with the format and the position.
  package var description: String {
    let position = offset.map { " at byte \($0)" } ?? ""
    return "invalid \(format.rawValue)\(position): \(reason)"
  }
}
