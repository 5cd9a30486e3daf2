import Foundation

/// The bytes of an attribute with external storage, as its column has them.
///
/// The column's first byte says where the value is: 1 means that it follows, 2 that a file beside the
/// store has it, named by a UUID of 36 characters and a zero byte.
package enum ExternalReference: Hashable, Sendable {
  /// The value itself.
  case inline(ArraySlice<UInt8>)
  /// The name of a file in ``folder(of:)``: a UUID, so that the path never leaves the folder.
  case file(String)
  /// Bytes in neither form.
  case unknown

  /// Recognizes the bytes of a column.
  package init(_ bytes: [UInt8]) {
    switch bytes.first {
    case 1: self = .inline(bytes.dropFirst())
    case 2:
      let name = String(decoding: bytes.dropFirst().prefix(36), as: UTF8.self)
      let isComplete = bytes.count == 37 || (bytes.count == 38 && bytes[37] == 0)
      self = isComplete && UUID(uuidString: name) != nil ? .file(name) : .unknown
    default: self = .unknown
    }
  }

  /// The folder of a store's external files: `.NAME_SUPPORT/_EXTERNAL_DATA` beside it.
  ///
  /// - Parameter store: The store's file; its name is used without the extension.
  /// - Returns: The folder, which need not exist.
  package static func folder(of store: URL) -> URL {
    let name = store.deletingPathExtension().lastPathComponent
    return store.deletingLastPathComponent()
      .appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA", directoryHint: .isDirectory)
  }
}
