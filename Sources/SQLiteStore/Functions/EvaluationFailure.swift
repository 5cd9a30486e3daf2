/// The first error in code that cannot throw: a function that SQLite calls, or the evaluator's access
/// to a row.
final class EvaluationFailure {
  private var error: (any Error)?

  func note(_ error: any Error) {
    if self.error == nil { self.error = error }
  }

  /// Throws the error, if there was one.
  func check() throws {
    if let error { throw error }
  }

  /// Returns the error and clears it.
  func take() -> (any Error)? {
    defer { error = nil }
    return error
  }
}
