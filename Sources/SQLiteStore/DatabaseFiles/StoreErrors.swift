import StoreFiles
import StoreProtocol

/// The boundary of the store: an error code of SQLite or the system leaves it only as a cause.
enum StoreErrors {
  /// The task of the store that failed.
  enum Task {
    case opening
    case reading
    case saving
    case compacting
    case copying
  }

  /// Runs a body and translates its errors into errors of the contract.
  static func translating<Result>(
    _ task: Task,
    file: @autoclosure () -> String?,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw translated(error, task, file: file())
    }
  }

  static func translated(_ error: any Error, _ task: Task, file: String?) -> any Error {
    switch error {
    case let error as SQLiteError: translated(error, task, file: file)
    case let error as CommitFailure: translated(error.cause, task, file: file)
    case let error as FileError:
      DataStoreError(
        error.objection != nil ? .storeNotTrusted : error.isReadOnly ? .storeReadOnly : .io,
        error.objection ?? sentence(of: error, task),
        file: error.path,
        cause: error
      )
    case let error as StoreLock.Failure: translated(error, file: file)
    case let error as ValueFileError: error.translated(entity: nil, property: nil)
    default: error
    }
  }

  private static func sentence(of error: FileError, _ task: Task) -> String {
    if task == .copying, error.isAlreadyExisting {
      return "files of a store already exist at the path; choose another path"
    }
    return error.isReadOnly
      ? "the system denies write access to the store's path; grant it, or open an existing store "
        + "with allowsSave false (readonly=yes in a URL)"
      : error.shortage ?? "the system refused access to the file"
  }

  private static func translated(_ failure: StoreLock.Failure, file: String?) -> any Error {
    switch failure {
    case .busy(let holder):
      DataStoreError(
        .storeBusy,
        "\(holder) is writing to the store; try again later",
        file: file,
        cause: failure
      )
    case .file(let error): translated(error, .opening, file: file)
    }
  }

  private static func translated(
    _ error: SQLiteError,
    _ task: Task,
    file: String?
  ) -> DataStoreError {
    let (kind, message): (DataStoreError, String) =
      switch error.kind {
      case .busy: (.storeBusy, busy(file).message)
      case .full, .ioerr: refusal(task, error.shortage)
      case .corrupt: (.storeDamaged, "the store's file is damaged and was not changed")
      case .notADatabase:
        (.storeDamaged, "the file is not a SQLite database and was not changed")
      case .constraint: constraint(error)
      case .readOnly:
        (
          .storeReadOnly,
          "the system denies write access to the store's file or folder; grant it, or open an "
            + "existing store without a log (-wal) with allowsSave false (readonly=yes in a URL)"
        )
      case .cannotOpen: (.io, "the store's file cannot be opened")
      case .tooBig: (.invalidValue, "a value is longer than the store allows")
      case .otherSchema: (.schemaMismatch, migrated(to: error.schemaVersion))
      case .schema, .interrupted, .other:
        (task == .saving || task == .compacting ? .notSaved : .io, "SQLite refused the statement")
      }
    return DataStoreError(kind, message, file: file, cause: error)
  }

  /// Returns a system's refusal as an error that changes nothing.
  private static func refusal(
    _ task: Task,
    _ shortage: String?
  ) -> (DataStoreError, String) {
    switch task {
    case .saving:
      (
        .notSaved,
        shortage.map { "\($0); nothing was saved: make room and save again" }
          ?? "the system refused to write; nothing was saved: save again"
      )
    case .compacting:
      (
        .notSaved,
        "\(shortage ?? "the system refused to write"); the store is unchanged: compact it again"
      )
    case .copying:
      (.io, "\(shortage ?? "the system refused to read or write"); no copy was made")
    case .opening, .reading:
      (
        .io,
        shortage.map {
          "\($0); a SQLite store needs at least 64 KiB beside its file, for the log (-wal) and the "
            + "log's index (-shm): remove other files, and open it again"
        } ?? "the system refused to read or write the store's file"
      )
    }
  }

  /// Returns the error of a store whose path refers to another file, or none.
  static func replaced(_ file: String?) -> DataStoreError {
    DataStoreError(
      .storeReplaced,
      "the file was replaced or removed while it was open; open it again",
      file: file
    )
  }

  private static func migrated(to version: String?) -> String {
    "another program migrated the store to \(version ?? "another version"); restart with the new "
      + "models"
  }

  /// Returns the error of a store whose log is no longer the one that is open.
  static func lostLog(_ file: String?) -> DataStoreError {
    DataStoreError(
      .storeReplaced,
      "another program removed, replaced or truncated the log (-wal) or its index (-shm) of the store"
        + " while it was open; close the store everywhere and open it again",
      file: file
    )
  }

  /// Returns the error of a process that was forked while the store was open.
  static func inherited(_ file: String?) -> DataStoreError {
    DataStoreError(
      .storeClosed,
      "the store was opened by the parent process, and SQLite's locks are not inherited; start a "
        + "program in the child (exec, posix_spawn, Process) and open the store there",
      file: file
    )
  }

  /// Returns the error of a store that another connection has locked.
  static func busy(_ file: String?) -> DataStoreError {
    DataStoreError(
      .storeBusy,
      "another connection has the store locked; try again later",
      file: file
    )
  }

  /// Returns the error of a save whose outcome is still unknown.
  static func unknown(_ file: String?, cause: (any Error)?) -> DataStoreError {
    DataStoreError(
      .outcomeUnknown,
      "the commit failed and could not be rolled back, so that it may reappear after a crash; "
        + "save again to retry the rollback",
      file: file,
      cause: cause
    )
  }

  /// Returns the error of a save that was not begun, since an earlier one is indeterminate.
  static func notBegun(_ file: String?, cause: any Error) -> DataStoreError {
    DataStoreError(
      .notSaved,
      "an earlier failed save could not be rolled back; nothing was saved: save again",
      file: file,
      cause: cause
    )
  }

  private static func constraint(_ error: SQLiteError) -> (DataStoreError, String) {
    if error.isUniqueViolation {
      (.uniqueConflict, "two objects have the same unique values and cannot be merged")
    } else {
      (.conflict, "another writer changed an object that this save refers to")
    }
  }
}
