/// Rows in the binary format of COPY.
package struct CopyRows {
  fileprivate(set) var bytes: [UInt8] = []
  private let columnCount: Int16
  fileprivate var open: Int16 = 0

  init(columnCount: Int16) {
    self.columnCount = columnCount
  }

  /// Appends the next value; the first of a row begins it, the last one ends it.
  package mutating func append(_ value: (some PostgreSQLValue)?) {
    if open == 0 {
      bytes.append(integer: columnCount)
      open = columnCount
    }
    bytes.append(element: value)
    open -= 1
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

extension Connection {
  /// Inserts rows by COPY, the fastest way for some hundred rows or more.
  ///
  /// - Parameters:
  ///   - target: The table and its columns, quoted: `"trips"."Trip" ("name", "price")`.
  ///   - columnCount: The number of columns.
  ///   - produce: A function that appends some rows and returns `false` after the last ones. It is
  ///     called until then; its rows are sent after each call.
  /// - Returns: The number of rows.
  /// - Throws: ``PostgreSQLError``, or the function's errors. Then no row is inserted.
  @discardableResult
  package func copy(
    into target: String,
    columnCount: Int,
    _ produce: (inout CopyRows) throws -> Bool
  ) throws -> Int {
    guard let columns = Int16(exactly: columnCount), columns > 0 else {
      throw PostgreSQLError(.misuse, "COPY of \(columnCount) columns is not possible.")
    }
    // COPY is not possible in a pipeline.
    if !opening.isEmpty { try run([]) }
    try beginCopy("COPY \(target) FROM STDIN (FORMAT binary)")
    do {
      var rows = CopyRows(columnCount: columns)
      try send([UInt8]("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8))
      var goesOn = true
      while goesOn {
        goesOn = try produce(&rows)
        try send(rows.bytes)
        rows.removeAll()
      }
      guard rows.open == 0 else { throw PostgreSQLError(.misuse, "The last row is incomplete.") }
      try send([0xFF, 0xFF])
    } catch {
      if isOpen { _ = try? endCopy("canceled by the client") }
      throw error
    }
    return try endCopy(nil)
  }

  private func beginCopy(_ sql: String) throws(PostgreSQLError) {
    let handle = try open()
    roundTrips += 1
    guard library.sendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
    guard let result = try nextResult() else { throw invalidResponse("left out a result") }
    let status = library.resultStatus(result)
    if status == LibPQConstant.copyIn { return library.clear(result) }
    defer { library.clear(result) }
    guard status == LibPQConstant.fatalError else {
      throw invalidResponse("did not accept rows")
    }
    let error = try serverError(result)
    try drain()
    throw error
  }

  private func send(_ bytes: [UInt8]) throws(PostgreSQLError) {
    // Small messages keep libpq's buffer small.
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      let piece = bytes[start..<min(bytes.count, start + 1 << 16)]
      var isSent: Int32 = 0
      while isSent == 0 {
        let handle = try open()
        isSent = piece.withUnsafeBytes {
          library.putCopyData(handle, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
        }
        guard isSent >= 0 else { throw lost() }
        try wait(reads: false)
      }
    }
  }

  private func endCopy(_ reason: String?) throws(PostgreSQLError) -> Int {
    var isSent: Int32 = 0
    while isSent == 0 {
      let handle = try open()
      isSent = library.putCopyEnd(handle, reason)
      guard isSent >= 0 else { throw lost() }
      try wait(reads: false)
    }
    guard let handle = try nextResult() else { throw invalidResponse("left out a result") }
    guard library.resultStatus(handle) == LibPQConstant.commandOK else {
      defer { library.clear(handle) }
      let error = try serverError(handle)
      try drain()
      throw error
    }
    let result = QueryResult(handle, library)
    try drain()
    return result.affectedRows ?? 0
  }

  private func drain() throws(PostgreSQLError) {
    guard let extra = try nextResult() else { return }
    library.clear(extra)
    throw invalidResponse("returned two results of one statement")
  }
}
