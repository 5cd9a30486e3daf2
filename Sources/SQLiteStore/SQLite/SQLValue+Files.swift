import Foundation
import StoreFiles
import StoreProtocol

// The references to files in place of large values.

extension AttributeType {
  /// The storage class of a reference to a file among values of the type, or `nil` if there are
  /// none.
  var referenceStorage: SQLStorage? {
    switch self {
    case .data: .text
    case .string, .codable: .blob
    default: nil
    }
  }
}

extension SQLValue {
  /// Creates the stored form of a reference to a file among the values of a type.
  init(_ reference: FileReference, as type: AttributeType) {
    self =
      type.referenceStorage == .text
      ? .text(reference.text) : .blob(Data(reference.text.utf8))
  }
}

extension SQLRow {
  /// Returns the reference to a file that is stored in place of a value, or `nil` if there is none.
  func fileReference(at column: Int, as type: AttributeType) -> FileReference? {
    let storage = storage(at: column)
    guard storage == type.referenceStorage else { return nil }
    if storage == .text { return text(at: column).flatMap(FileReference.init(_:)) }
    return withBytes(at: column) { bytes in
      String(validating: bytes, as: UTF8.self).flatMap(FileReference.init(_:))
    }
  }
}
