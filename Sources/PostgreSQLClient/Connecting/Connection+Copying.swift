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

extension Connection {
  /// The number of rows that ``copy(_:types:_:)`` decodes together.
  private static let rowsAtOnce = 200

  /// Reads the rows of a query by COPY, some at a time while the server sends the next ones.
  ///
  /// Compared with a result, this costs the client less than half for each row, and needs memory for
  /// some rows only.
  ///
  /// - Parameters:
  ///   - query: A query without parameters, which COPY does not have.
  ///   - types: The types of the columns. The server does not name them, so the query must ensure
  ///     them.
  ///   - body: A function that is called with some rows. If it throws, the connection is closed,
  ///     since the server may have many more rows to send.
  /// - Throws: ``PostgreSQLError``, or the function's errors.
  package func copy(
    _ query: Statement,
    types: [UInt32],
    _ body: (QueryResult) throws -> Void
  ) throws {
    let query = schema.map(query.inSchema) ?? query
    // COPY is not possible in a pipeline.
    if !opening.isEmpty { try run([]) }
    try beginCopy("COPY (\(query.sql)) TO STDOUT (FORMAT binary)")
    do {
      var rows = CopiedRows(types: types, library)
      while let (message, size) = try nextMessage() {
        guard rows.append(message, size: size) else {
          throw invalidResponse("sent rows that are not in the binary format of COPY")
        }
        if rows.count == Self.rowsAtOnce { try body(QueryResult(rows.take(), library)) }
      }
      if rows.count > 0 { try body(QueryResult(rows.take(), library)) }
      try endCopy()
    } catch {
      // Unless the server has ended the COPY.
      if hasBegun { abandon() }
      throw error
    }
  }

  private func beginCopy(_ sql: String) throws(PostgreSQLError) {
    let handle = try open()
    roundTrips += 1
    guard library.sendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
    guard let result = try nextResult() else { throw invalidResponse("left out a result") }
    defer { library.clear(result) }
    switch library.resultStatus(result) {
    case LibPQConstant.copyOut: return
    case LibPQConstant.fatalError:
      let error = try serverError(result)
      try drain()
      throw error
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
    let isComplete = library.resultStatus(result) == LibPQConstant.commandOK
    let error = isComplete ? nil : try serverError(result)
    try drain()
    if let error { throw error }
  }

  /// Throws if there is another result of the same statement.
  func drain() throws(PostgreSQLError) {
    guard let extra = try nextResult() else { return }
    library.clear(extra)
    throw invalidResponse("returned two results of one statement")
  }
}
