import StoreFiles
import StoreProtocol

/// The errors of the file layer as errors of a store.
enum StoreErrors {
  /// An error of a file operation that changed nothing.
  static func translated(_ error: FileError) -> DataStoreError {
    if error.isLink || error.isUnexpectedKind {
      return DataStoreError(
        .storeNotTrusted,
        "the name is no plain file of its own; nothing was read from it or written to it",
        file: error.path,
        cause: error
      )
    }
    if error.isReadOnly {
      return DataStoreError(
        .storeReadOnly,
        "the system forbids the access; give the user the right, or open with allowsSave false",
        file: error.path,
        cause: error
      )
    }
    return DataStoreError(
      .io,
      "the system refused to read or write the store",
      file: error.path,
      cause: error
    )
  }

  static func translated(_ failure: StoreLock.Failure, file: String) -> DataStoreError {
    switch failure {
    case .file(let error): translated(error)
    case .busy(let holder):
      DataStoreError(
        .storeBusy,
        "the store is open elsewhere: \(holder); close it there or try again later",
        file: file
      )
    }
  }

  /// An error of a save.
  static func translated(_ error: ReplacementError) -> DataStoreError {
    switch error {
    case .unchanged(let cause):
      DataStoreError(
        .notSaved,
        "nothing was saved; the changes can be saved again",
        file: cause.path,
        cause: cause
      )
    case .unknown(let cause):
      DataStoreError(
        .outcomeUnknown,
        "the system failed when the changes may have been written;"
          + " open the store again to see what it has",
        file: cause.path,
        cause: cause
      )
    }
  }

  /// The error of all work after one whose outcome is unknown, or after a close.
  static func closed(_ file: String, cause: (any Error)?) -> DataStoreError {
    DataStoreError(
      .storeClosed,
      cause == nil
        ? "the store was closed" : "an earlier failure ended the store; open it again",
      file: file,
      cause: cause
    )
  }

  /// The error of all work in a child of the process that opened the store.
  static func inherited(_ file: String) -> DataStoreError {
    DataStoreError(
      .storeClosed,
      "the store was opened by the parent process; open it again",
      file: file
    )
  }

  static func replaced(_ file: String) -> DataStoreError {
    DataStoreError(
      .storeReplaced,
      "the file is not the one that the store read or wrote last;"
        + " nothing was written: open the store again",
      file: file
    )
  }

  static func readOnly(_ file: String) -> DataStoreError {
    DataStoreError(.storeReadOnly, "the store was opened for reading only", file: file)
  }
}

/// Runs file operations that change nothing when they fail.
func translating<Value>(_ body: () throws(FileError) -> Value) throws(DataStoreError) -> Value {
  do throws(FileError) {
    return try body()
  } catch {
    throw StoreErrors.translated(error)
  }
}
