import StoreFiles

extension SQLiteError {
  /// The reason that space or another resource is exhausted, or `nil` for other errors.
  var shortage: String? {
    switch kind {
    case .full: SystemError(code: systemCode).shortage ?? "the disk is full"
    case .ioerr, .cannotOpen: SystemError(code: systemCode).shortage
    default: nil
    }
  }
}

/// A commit that did not return a success, so that its outcome may be indeterminate.
struct CommitFailure: Error, Sendable {
  let cause: SQLiteError

  /// A lock that was not obtained and a dangling reference are found before anything is written.
  var outcomeIsUnknown: Bool {
    switch cause.kind {
    case .busy, .constraint: false
    default: true
    }
  }
}
