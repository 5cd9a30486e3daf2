extension Connection {
  /// Undoes what a program's statements may have left on the connection, if it ran any.
  ///
  /// `DISCARD ALL` would drop the prepared statements as well.
  ///
  /// - Returns: Whether others may use the connection.
  func reset() -> Bool {
    guard ranProgram else { return true }
    ranProgram = false
    deadline = .after(.seconds(5))
    let statements = [
      "RESET SESSION AUTHORIZATION", "RESET ROLE", "RESET ALL", "SELECT pg_advisory_unlock_all()",
    ]
    do { try run(statements.map { Statement($0) }) } catch { return false }
    return isAtRest
  }
}
