import SQLTranslation

// Statements whose values are bound, and their rows.
extension Connection {
  /// Provides access to the prepared statement of an SQL string with the values of its parameters.
  func withStatement<Result>(
    _ sql: String,
    _ values: SQLValue...,
    body: (Statement) throws -> Result
  ) throws -> Result {
    try withStatement(sql) { statement in
      try statement.bind(values)
      return try body(statement)
    }
  }

  /// Provides access to the prepared statement of a fragment with its parameters.
  func withStatement<Result>(
    _ sql: SQLFragment,
    body: (Statement) throws -> Result
  ) throws -> Result {
    try withStatement(sql.text) { statement in
      try statement.bind(sql.parameters)
      return try body(statement)
    }
  }

  /// Returns what a function reads from each row of a statement, without `nil`.
  func rows<Value>(
    _ sql: String,
    _ values: SQLValue...,
    read: (Statement) throws -> Value?
  ) throws -> [Value] {
    try withStatement(sql) { statement in
      try statement.bind(values)
      return try statement.rows(read)
    }
  }

  /// Returns what a function reads from the first row of a statement, or `nil` if there is none.
  func first<Value>(
    _ sql: String,
    _ values: SQLValue...,
    read: (Statement) throws -> Value?
  ) throws -> Value? {
    try withStatement(sql) { statement in
      try statement.bind(values)
      return try statement.first(read)
    }
  }

  /// Returns whether a statement has a row.
  func hasRow(_ sql: String, _ values: SQLValue...) throws -> Bool {
    try withStatement(sql) { statement in
      try statement.bind(values)
      return try statement.step()
    }
  }
}

extension Statement {
  /// Binds the parameters of a fragment, starting with the first.
  func bind(_ parameters: [SQLParameter]) throws(SQLiteError) {
    for (index, parameter) in parameters.enumerated() {
      switch parameter {
      case .value(let value): try bind(value, at: index + 1)
      case .function(let callback):
        // Fragments of this dialect have no others.
        guard let function = callback.function as? RowFunction else { continue }
        try bind(function, at: index + 1)
      }
    }
  }

  /// Returns what a function reads from each row, without `nil`.
  func rows<Value>(_ read: (Statement) throws -> Value?) throws -> [Value] {
    var found: [Value] = []
    while try step() {
      if let value = try read(self) { found.append(value) }
    }
    return found
  }

  /// Returns what a function reads from the first row, or `nil` if there is none.
  func first<Value>(_ read: (Statement) throws -> Value?) throws -> Value? {
    try step() ? try read(self) : nil
  }
}
