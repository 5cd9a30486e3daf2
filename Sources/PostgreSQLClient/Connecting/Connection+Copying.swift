/// Rows in the binary format of COPY, divided into fields.
struct CopiedRows {
  let types: [UInt32]
  private(set) var messages: CopyMessages
  /// The fields of all rows, in the messages; `nil` for null.
  private(set) var fields: [UnsafeRawBufferPointer?] = []
  private(set) var count = 0
  private var hasHeader = false

  init(types: [UInt32], _ library: LibPQ) {
    self.types = types
    messages = CopyMessages(library)
  }

  /// Appends a message.
  ///
  /// - Returns: Whether it is valid.
  mutating func append(_ message: UnsafeMutablePointer<CChar>, size: Int) -> Bool {
    messages.list.append(message)
    var reader = FieldReader(UnsafeRawBufferPointer(start: message, count: size))
    if !hasHeader {
      // The signature, the flags, and the size of an extension.
      hasHeader = true
      guard
        reader.bytes(11)?.elementsEqual(
          "PGCOPY\n\u{FF}\r\n\0".unicodeScalars.map { UInt8($0.value) }
        ) == true,
        reader.integer(Int32.self) == 0, let size: Int32 = reader.integer(),
        reader.bytes(Int(size)) != nil
      else { return false }
    }
    let columnCount: Int16? = reader.integer()
    // The end of all rows.
    if columnCount == -1 { return reader.rest.isEmpty }
    guard columnCount.map(Int.init) == types.count else { return false }
    for _ in types {
      guard let size: Int32 = reader.integer() else { return false }
      if size == -1 {
        fields.append(nil)
      } else if let field = reader.bytes(Int(size)) {
        fields.append(field)
      } else {
        return false
      }
    }
    count += 1
    return reader.rest.isEmpty
  }

  /// Returns and removes the rows.
  mutating func take() -> CopiedRows {
    defer {
      messages = CopyMessages(messages.library)
      fields = []
      count = 0
    }
    return self
  }
}

/// Messages of libpq, each with one row.
final class CopyMessages {
  fileprivate let library: LibPQ
  fileprivate var list: [UnsafeMutablePointer<CChar>] = []

  fileprivate init(_ library: LibPQ) {
    self.library = library
  }

  deinit {
    for message in list { library.freemem(message) }
  }
}

/// A query for COPY.
package struct CopyQuery {
  fileprivate let statement: Statement
  fileprivate let types: [UInt32]

  /// Creates a query without parameters, which COPY does not have.
  ///
  /// - Parameters:
  ///   - statement: The query.
  ///   - types: The types of the columns. The server does not name them, so the query must ensure
  ///     them.
  package init(_ statement: Statement, types: [UInt32]) {
    (self.statement, self.types) = (statement, types)
  }
}

extension Connection {
  /// The number of rows that ``copy(_:followedBy:_:)`` decodes together.
  private static let rowsAtOnce = 200

  /// Reads the rows of a query by COPY, some at a time while the server sends the next ones.
  ///
  /// Compared with a result, this costs the client less than half for each row, and needs memory for
  /// some rows only.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - last: A query that is executed after it in the same round trip, for few rows.
  ///   - body: A function that is called with some rows. If it throws, the connection is closed,
  ///     since the server may have many more rows to send.
  /// - Returns: The result of the last query, or `nil` if there is none.
  /// - Throws: ``PostgreSQLError``, or the function's errors.
  @discardableResult
  package func copy(
    _ query: CopyQuery,
    followedBy last: CopyQuery? = nil,
    _ body: (QueryResult) throws -> Void
  ) throws -> QueryResult? {
    // COPY is not possible in a pipeline.
    if !opening.isEmpty { try run([]) }
    let queries = [query] + (last.map { [$0] } ?? [])
    let observedEnd = observe(queries.map(\.statement))
    do {
      try sendCopies(queries)
      try receiveCopy(query, at: Self.rowsAtOnce, body)
      var result: QueryResult?
      if let last { try receiveCopy(last, at: .max) { result = $0 } }
      try drain()
      observedEnd?(nil)
      return result
    } catch {
      observedEnd?(error)
      // Unless the server has ended the COPY.
      if hasBegun { abandon() }
      throw error
    }
  }

  /// Sends the queries in one request, which only the simple protocol allows.
  private func sendCopies(_ queries: [CopyQuery]) throws(PostgreSQLError) {
    let handle = try open()
    roundTrips += 1
    let sql = queries.map { query in
      "COPY (\(inSchema(query.statement).sql)) TO STDOUT (FORMAT binary)"
    }
    guard library.sendQuery(handle, sql.joined(separator: "; ")) == 1 else { throw lost() }
  }

  /// Calls a function with the rows of one COPY, some at a time.
  private func receiveCopy(
    _ query: CopyQuery,
    at count: Int,
    _ body: (QueryResult) throws -> Void
  ) throws {
    try beginCopy()
    var rows = CopiedRows(types: query.types, library)
    while let (message, size) = try nextMessage() {
      guard rows.append(message, size: size) else { throw brokenRows() }
      if rows.count == count { try body(QueryResult(rows.take(), library)) }
    }
    if rows.count > 0 { try body(QueryResult(rows.take(), library)) }
    try endCopy()
  }

  /// Returns the error of a message that is no row.
  ///
  /// A pooler that loses the server within a message fills it with its own error, and closes the
  /// connection.
  private func brokenRows() -> PostgreSQLError {
    do throws(PostgreSQLError) {
      while let (message, _) = try nextMessage() { library.freemem(message) }
      try endCopy()
    } catch {
      return error
    }
    return invalidResponse("sent rows that are not in the binary format of COPY")
  }

  private func beginCopy() throws(PostgreSQLError) {
    guard let result = try nextResult() else { throw invalidResponse("left out a result") }
    defer { library.clear(result) }
    switch library.resultStatus(result) {
    case LibPQConstant.copyOut: return
    case LibPQConstant.fatalError:
      throw try failure(result)
    default: throw invalidResponse("did not send rows")
    }
  }

  /// Returns the next message with a row, or `nil` after the last one.
  private func nextMessage() throws(PostgreSQLError) -> (UnsafeMutablePointer<CChar>, Int)? {
    while true {
      var message: UnsafeMutablePointer<CChar>?
      let size = library.getCopyData(try open(), &message, 1)
      if let message, size > 0 { return (message, Int(size)) }
      if size == -1 { return nil }
      guard size == 0 else { throw lost() }
      try wait()
    }
  }

  private func endCopy() throws(PostgreSQLError) {
    guard let result = try nextResult() else { throw invalidResponse("left out a result") }
    defer { library.clear(result) }
    guard library.resultStatus(result) == LibPQConstant.commandOK else {
      throw try failure(result)
    }
  }

  /// Returns the error in the last result of a statement.
  ///
  /// A pooler that lost the server closes the connection after it, which must not hide the error.
  private func failure(_ result: OpaquePointer) throws(PostgreSQLError) -> PostgreSQLError {
    let error = try serverError(result)
    do { try drain() } catch { close() }
    return error
  }

  /// Throws if there is another result of the same statement.
  func drain() throws(PostgreSQLError) {
    guard let extra = try nextResult() else { return }
    library.clear(extra)
    throw invalidResponse("returned two results of one statement")
  }
}
