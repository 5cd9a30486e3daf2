/// An error number of the system.
package struct SystemError: Error, Hashable, Sendable {
  /// The error number.
  package let code: Int32

  /// Creates an error from its number.
  package init(code: Int32) {
    self.code = code
  }

  /// Why there is no room for more, nil where that is not the reason.
  package var shortage: String? {
    switch code {
    case Syscalls.noSpace: "the disk is full"
    case Syscalls.quotaReached: "the user's quota of the disk is used up"
    case Syscalls.fileTooLarge: "the file has reached the largest size that is allowed"
    default: nil
    }
  }
}

/// A file operation that failed: which one, on what, and why.
///
/// Stores translate it at their border and keep it as the cause of their own error.
package struct FileError: Error, Hashable, Sendable {
  /// A kind of file operation.
  package enum Operation: String, CaseIterable, Hashable, Sendable {
    case openFolder, makeFolder, list, open, create, close, read, write, sync, syncFolder
    case rename, unlink, truncate, status, setMode, lock
  }

  /// The operation that failed.
  package let operation: Operation
  /// The path that it was to work on.
  package let path: String
  /// The system's error number.
  package let code: Int32

  /// The number for what is no plain file of one name.
  package static let unexpectedKind: Int32 = -1
  /// The number for a file that ends before the bytes that were asked for.
  package static let unexpectedEnd: Int32 = -2
  /// The number for an open folder that is not at its path any more.
  package static let replaced: Int32 = -10
  /// The number for a file that would be larger than the program allows.
  package static let tooLarge: Int32 = -11
  /// The number for a file that was replaced as often as its replacements can be counted.
  package static let countAtItsEnd: Int32 = -3
  /// The number for a database that this process has open.
  package static let openDatabase: Int32 = -4

  /// Creates an error.
  package init(_ operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Whether there is no such file.
  package var isNotFound: Bool { code == Syscalls.notFound }
  /// Whether there is such a file already.
  package var isAlreadyExisting: Bool { code == Syscalls.alreadyExists }
  /// Whether the name is a symbolic link, which this layer never follows.
  package var isLink: Bool { code == Syscalls.tooManyLinks }
  /// Whether the name is no folder where a folder was wanted.
  package var isNoFolder: Bool { code == Syscalls.notFolder }
  /// Whether the file is a database that this process has open.
  package var isOpenDatabase: Bool { code == Self.openDatabase }
  /// Whether the name is a folder, a pipe or a device, or has more names than one.
  package var isUnexpectedKind: Bool { code == Self.unexpectedKind }
  /// Whether the open folder is not at its path any more.
  package var isReplaced: Bool { code == Self.replaced }
  /// Whether the file would be larger than the program allows.
  package var isTooLarge: Bool { code == Self.tooLarge }
  /// Why there is no room for more, nil where that is not the reason.
  package var shortage: String? {
    isTooLarge
      ? "the file would be larger than the program allows (maximumDocumentSize)"
      : SystemError(code: code).shortage
  }
  /// Whether the system or the file system has no such operation.
  package var isUnsupported: Bool { Syscalls.unsupported.contains(code) }
  /// Whether the user or the file system forbids writing.
  package var isReadOnly: Bool {
    [Syscalls.readOnly, Syscalls.accessDenied, Syscalls.notPermitted].contains(code)
  }
}

extension FileError: CustomStringConvertible {
  /// The operation, the path and the system's sentence.
  package var description: String {
    let reason =
      switch code {
      case Self.unexpectedKind: "not a plain file with one name"
      case Self.unexpectedEnd: "the file ends early"
      case Self.replaced: "the folder was moved or replaced while it was open"
      case Self.tooLarge: "the file would be larger than the program allows"
      case Self.openDatabase: "a SQLite database that this process has open"
      case Self.countAtItsEnd: "the count of the file's generations has come to its end"
      default: Syscalls.message(code)
      }
    return "\(operation.rawValue) \(path): \(reason)"
  }
}
