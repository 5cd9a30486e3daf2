import Foundation
import StoreFiles

extension JSONScanner {
  /// Reads data as text, or the object that represents data in a file.
  mutating func readExternalCell() throws(JSONError) -> Cell {
    guard try nextToken() == UInt8(ascii: "{") else { return .value(.data(try readData())) }
    return .file(try readFileReference())
  }

  /// Reads data that is indexed, which cannot be in a file.
  mutating func readKeyData() throws(JSONError) -> Data {
    guard try nextToken() == UInt8(ascii: "{") else { return try readData() }
    throw error(
      .invalidValue(
        "the data is in a file, but the property is now unique or indexed; open the store once "
          + "without the constraint or index, and save the data again"
      )
    )
  }

  /// Reads `{"$file":"…","bytes":20000,"crc32c":"0a1b2c3d"}`, in any order.
  private mutating func readFileReference() throws(JSONError) -> FileReference {
    var (name, size, checksum): (String?, Int64?, UInt32?)
    var isFirst = true
    let start = position
    try beginObject()
    while let text = try nextMember(&isFirst) {
      switch try string(of: text) {
      case "$file": name = try readString()
      case "bytes": size = try readInteger()
      case "crc32c": checksum = UInt32(try readString(), radix: 16)
      default:
        throw error(.invalidValue("a reference to a file cannot have this key"), at: text.start)
      }
    }
    guard let name, let size, let checksum,
      let reference = FileReference(name: name, size: Int(size), checksum: checksum)
    else {
      throw error(.invalidValue("the object is not a reference to a file of the store"), at: start)
    }
    return reference
  }
}
