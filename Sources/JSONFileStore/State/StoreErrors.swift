import StoreFiles
import StoreProtocol

/// Converts the errors of the file layer to errors of a store.
enum StoreErrors {
  /// Returns the error for a file operation that changed nothing.
  static func translated(_ error: FileError) -> DataStoreError {
    if let objection = error.objection {
      return DataStoreError(.storeNotTrusted, objection, file: error.path, cause: error)
    }
    if error.isOpenDatabase { return openDatabase(error.path, cause: error) }
    if error.isReadOnly {
      return DataStoreError(
        .storeReadOnly,
        "the system denies access; grant it, or open an existing store with allowsSave "
          + "false (readonly=yes in a URL)",
        file: error.path,
        cause: error
      )
    }
    return DataStoreError(
      .io,
      error.shortage ?? "the system refused to read or write the store",
      file: error.path,
      cause: error
    )
  }

  /// Returns the error for a file that is the database of another store.
  static func openDatabase(_ file: String, cause: (any Error)? = nil) -> DataStoreError {
    DataStoreError(
      .storeNotTrusted,
      "the file is a SQLite database that this process has open; open it as sqlite:, or choose "
        + "another file",
      file: file,
      cause: cause
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

  /// Returns the error for a save that is stored nowhere.
  static func notSaved(_ cause: FileError) -> DataStoreError {
    DataStoreError(
      .notSaved,
      cause.shortage.map { "\($0); nothing was saved: make room and save again" }
        ?? (cause.isReadOnly
          ? "the system denies write access; nothing was saved: grant it and save again"
          : "the system refused to write; nothing was saved: save again"),
      file: cause.path,
      cause: cause
    )
  }

  /// Returns the error for a save whose outcome is still unknown.
  static func unknown(_ file: String, cause: (any Error)?) -> DataStoreError {
    DataStoreError(
      .outcomeUnknown,
      "the system failed when the changes may have been written, and again when they were rolled "
        + "back; save again to retry",
      file: file,
      cause: cause
    )
  }

  /// Returns the error for a save that was not started because an earlier failure could not be
  /// resolved.
  static func notBegun(_ file: String, cause: any Error) -> any Error {
    if (cause as? DataStoreError) == .storeReplaced { return cause }
    let refusal = (cause as? ReplacementError)?.cause
    return DataStoreError(
      .notSaved,
      "\(refusal?.shortage ?? "the system refused to write") during the recovery from an earlier "
        + "failure; nothing was saved: save again",
      file: file,
      cause: refusal ?? cause
    )
  }

  /// Returns the error for a document that could not be rewritten.
  static func notCheckpointed(_ cause: FileError) -> DataStoreError {
    DataStoreError(
      .io,
      "\(cause.shortage ?? "the system refused to write") during the compaction of the journal; "
        + "nothing is lost: both files are read when the store is opened again",
      file: cause.path,
      cause: cause
    )
  }

  /// Returns the error for all work after a close.
  static func closed(_ file: String) -> DataStoreError {
    DataStoreError(.storeClosed, "the store was closed; open it again", file: file)
  }

  /// Returns the error for all work in a child of the process that opened the store.
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
    DataStoreError(
      .storeReadOnly,
      "the store was opened read-only; open it with allowsSave true (without readonly in a URL)",
      file: file
    )
  }
}

/// Runs file operations that change nothing if they fail.
func translating<Value>(_ body: () throws(FileError) -> Value) throws(DataStoreError) -> Value {
  do throws(FileError) {
    return try body()
  } catch {
    throw StoreErrors.translated(error)
  }
}
