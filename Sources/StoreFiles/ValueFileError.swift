import StoreProtocol

/// The reason why a value in a file could not be read.
package enum ValueFileError: Error, Hashable, Sendable {
  /// There is no such file.
  case missing(path: String)
  /// The file is not the one that was written, for the given reason.
  case damaged(path: String, reason: String)
  /// The value is larger than the configuration allows.
  case tooLarge(path: String, size: Int, maximum: Int)
  /// The name is a link, a folder, a pipe or a device.
  case untrusted(path: String)
  /// The system failed.
  case file(FileError)

  package init(_ error: FileError) {
    if error.isNotFound {
      self = .missing(path: error.path)
    } else if error.objection != nil || error.isNoFolder {
      self = .untrusted(path: error.path)
    } else if error.code == FileError.unexpectedEnd {
      self = .damaged(path: error.path, reason: "it ends early")
    } else {
      self = .file(error)
    }
  }

  package func translated(entity: String?, property: String?) -> DataStoreError {
    let (kind, message, path): (DataStoreError, String, String) =
      switch self {
      case .missing(let path):
        (.storeDamaged, "the file of the value is missing; restore it from a backup", path)
      case .damaged(let path, let reason):
        (.storeDamaged, "the file differs from what was saved: \(reason); restore a backup", path)
      case .tooLarge(let path, let size, let maximum):
        (
          .invalidConfiguration,
          "the value has \(size) bytes; maximumExternalValueSize allows \(maximum); open the "
            + "store with a larger limit",
          path
        )
      case .untrusted(let path):
        (
          .storeNotTrusted,
          "the path is not a regular file with a single hard link; nothing was read", path
        )
      case .file(let error): (.io, "the system refused to read the value's file", error.path)
      }
    return DataStoreError(
      kind,
      message,
      entity: entity,
      property: property,
      file: path,
      cause: self
    )
  }
}
