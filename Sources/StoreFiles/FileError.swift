package struct SystemError: Error, Hashable, Sendable {
  package let code: Int32

  /// Creates an error from its number.
  package init(code: Int32) {
    self.code = code
  }

  /// The description of a lack of space, or `nil` for any other error.
  package var shortage: String? {
    switch code {
    case Syscalls.noSpace: "the disk is full"
    case Syscalls.quotaReached: "the user's disk quota is exhausted"
    case Syscalls.fileTooLarge: "the file has reached the largest size that is allowed"
    default: nil
    }
  }
}

/// A failed file operation: the operation, the path and the reason.
///
/// Stores translate it at their boundary and keep it as the cause of their own error.
package struct FileError: Error, Hashable, Sendable {
  package enum Operation: String, CaseIterable, Hashable, Sendable {
    case openFolder, makeFolder, list, open, create, read, write, sync, syncFolder
    case rename, unlink, truncate, status, setMode, lock
  }

  /// The operation that failed.
  package let operation: Operation
  /// The path of the operation.
  package let path: String
  /// The system's error number.
  package let code: Int32

  /// The code for a pipe, a device, or anything else that is not a plain file, folder or link.
  package static let unexpectedKind: Int32 = -1
  /// The code for a file with several names.
  package static let severalNames: Int32 = -5
  /// The code for a file that ends before the requested bytes.
  package static let unexpectedEnd: Int32 = -2
  /// The code for an open folder that is no longer at its path.
  package static let replaced: Int32 = -10
  /// The code for a file that would be larger than the program allows.
  package static let tooLarge: Int32 = -11
  /// The code for a file whose replacements exceed their counter.
  package static let countAtItsEnd: Int32 = -3
  /// The code for a database that this process has open.
  package static let openDatabase: Int32 = -4

  package init(_ operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Whether there is no such file.
  package var isNotFound: Bool { code == Syscalls.notFound }
  package var isAlreadyExisting: Bool { code == Syscalls.alreadyExists }
  /// Whether the name is not a folder, although one was expected.
  package var isNoFolder: Bool { code == Syscalls.notFolder }
  /// Whether the file is a database that this process has open.
  package var isOpenDatabase: Bool { code == Self.openDatabase }
  /// The reason that a store cannot use such a file, with the remedy, or `nil` for other errors.
  package var objection: String? {
    switch code {
    case Syscalls.tooManyLinks:
      "the path is a symbolic link that leads nowhere, or that a store does not follow; use the path of "
        + "the file itself"
    case Syscalls.isFolder: "the path is a folder; add the name of a file"
    case Self.severalNames:
      "the file has several names (hard links), and each would have its own lock; remove the other "
        + "names, or use a copy of the file"
    case Self.unexpectedKind: "the path is not a plain file; use another path"
    default: nil
    }
  }
  /// Whether the open folder is no longer at its path.
  package var isReplaced: Bool { code == Self.replaced }
  /// Whether the file would be larger than the program allows.
  package var isTooLarge: Bool { code == Self.tooLarge }
  /// The description of a lack of space, or `nil` for any other error.
  package var shortage: String? {
    isTooLarge
      ? "the file would be larger than the program allows (maximumDocumentSize)"
      : SystemError(code: code).shortage
  }
  /// Whether the system or the file system does not support the operation.
  package var isUnsupported: Bool { Syscalls.unsupported.contains(code) }
  /// Whether the user or the file system forbids writing.
  package var isReadOnly: Bool {
    [Syscalls.readOnly, Syscalls.accessDenied, Syscalls.notPermitted].contains(code)
  }
}

extension FileError: CustomStringConvertible {
  /// The operation, the path and the system's description.
  package var description: String {
    let reason =
      switch code {
      case Self.unexpectedKind: "not a plain file"
      case Self.severalNames: "a file with several hard links"
      case Self.unexpectedEnd: "the file ends early"
      case Self.replaced: "the folder was moved or replaced while it was open"
      case Self.tooLarge: "the file would be larger than the program allows"
      case Self.openDatabase: "a SQLite database that this process has open"
      case Self.countAtItsEnd: "the counter of the file's generations has reached its limit"
      default: Syscalls.message(code)
      }
    return "\(operation.rawValue) \(path): \(reason)"
  }
}
