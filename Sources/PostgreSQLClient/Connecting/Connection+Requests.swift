import Foundation

/// The server's responses to the statements of one round trip.
struct Exchange {
  /// The results up to the first error.
  var results: [QueryResult] = []
  /// The first error.
  var error: PostgreSQLError?
  /// Whether the error is the server's response to the statement after the last result.
  ///
  /// Otherwise the connection was lost, and later statements may have been executed.
  var hasResponse = false
}

extension Connection {
  /// Executes a statement in one round trip.
  ///
  /// - Throws: ``PostgreSQLError``.
  @discardableResult
  package func run(_ statement: Statement) throws(PostgreSQLError) -> QueryResult {
    guard let result = try run([statement]).last else {
      throw invalidResponse("returned no result")
    }
    return result
  }

  /// Executes statements in one round trip.
  ///
  /// Outside of a transaction they are atomic: none has an effect unless all succeed.
  ///
  /// - Returns: The results in the order of the statements.
  /// - Throws: ``PostgreSQLError`` of the first statement that failed; the later ones are not
  ///   executed.
  @discardableResult
  package func run(_ statements: [Statement]) throws(PostgreSQLError) -> [QueryResult] {
    let isAlone = isIdle
    var exchange = try self.exchange(statements)
    // A whole transaction was rolled back, because a prepared statement was lost.
    if exchange.error?.kind == .statementForgotten, isAlone {
      exchange = try self.exchange(statements)
    }
    if let error = exchange.error { throw error }
    return exchange.results
  }

  /// Sends statements, and receives the server's responses.
  ///
  /// - Throws: ``PostgreSQLError`` only if nothing was sent.
  func exchange(_ statements: [Statement]) throws(PostgreSQLError) -> Exchange {
    let handle = try open()
    let openingCount = opening.count
    let all = (opening + statements).map { statement in
      schema.map(statement.inSchema) ?? statement
    }
    guard library.enterPipelineMode(handle) == 1 else { throw lost() }
    opening = []
    roundTrips += 1
    var planned = prepared.plan()
    var commands: [PreparedStatements.Command] = []
    var exchange = Exchange()
    do throws(PostgreSQLError) {
      for statement in all {
        let next = prepared.commands(for: statement, planned: &planned)
        for command in next { try send(command, statement, handle) }
        commands += next
      }
      guard library.pipelineSync(handle) == 1 else { throw lost() }
      try receive(commands, into: &exchange)
      guard library.exitPipelineMode(handle) == 1 else {
        throw invalidResponse("sent more results than statements")
      }
    } catch {
      // A response that came first counts, and so does a result of every statement.
      if exchange.error == nil, exchange.results.count < all.count {
        exchange.error = error
        exchange.hasResponse = false
      }
    }
    exchange.results.removeFirst(min(openingCount, exchange.results.count))
    return exchange
  }

  private func send(
    _ command: PreparedStatements.Command,
    _ statement: Statement,
    _ handle: OpaquePointer
  ) throws(PostgreSQLError) {
    let isSent: Bool
    switch command {
    case .drop(let name):
      isSent = library.sendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1
    case .prepare(let name):
      let types = statement.parameters.map(\.typeID)
      isSent = library.sendPrepare(handle, name, statement.sql, Int32(types.count), types) == 1
    case .execute(let name): isSent = execute(statement, name, handle)
    }
    guard isSent else { throw lost() }
  }

  private func execute(_ statement: Statement, _ name: String?, _ handle: OpaquePointer) -> Bool {
    let parameters = statement.parameters
    // The last byte ensures that empty values have an address.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
    for parameter in parameters { bytes += parameter.bytes ?? [] }
    bytes.append(0)
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    return bytes.withUnsafeBytes { buffer in
      var next = buffer.bindMemory(to: CChar.self).baseAddress
      let values = parameters.map { parameter -> UnsafePointer<CChar>? in
        guard let count = parameter.bytes?.count else { return nil }
        defer { next = next?.advanced(by: count) }
        return next
      }
      let count = Int32(parameters.count)
      guard let name else {
        let types = parameters.map(\.typeID)
        return library.sendQueryParams(
          handle,
          statement.sql,
          count,
          types,
          values,
          lengths,
          formats,
          1
        ) == 1
      }
      return library.sendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
    }
  }

  private func receive(
    _ commands: [PreparedStatements.Command],
    into exchange: inout Exchange
  ) throws(PostgreSQLError) {
    for command in commands {
      guard let result = try nextResult() else { throw invalidResponse("left out a result") }
      try take(result, of: command, into: &exchange)
      guard try nextResult() == nil else {
        throw invalidResponse("returned two results of one statement")
      }
    }
    guard let end = try nextResult() else { throw invalidResponse("did not complete its results") }
    let status = library.resultStatus(end)
    library.clear(end)
    guard status == LibPQConstant.pipelineSync else {
      throw invalidResponse("did not complete its results")
    }
  }

  private func take(
    _ result: OpaquePointer,
    of command: PreparedStatements.Command,
    into exchange: inout Exchange
  ) throws(PostgreSQLError) {
    let status = library.resultStatus(result)
    switch status {
    case LibPQConstant.commandOK, LibPQConstant.tuplesOK:
      prepared.confirm(command)
      if case .execute = command {
        exchange.results.append(QueryResult(result, library))
      } else {
        library.clear(result)
      }
    case LibPQConstant.pipelineAborted where exchange.error != nil: library.clear(result)
    case LibPQConstant.fatalError where exchange.error == nil:
      defer { library.clear(result) }
      let error = try reportedError(result, of: command)
      exchange.error = error
      exchange.hasResponse = true
    default:
      library.clear(result)
      throw invalidResponse("returned a result with the status \(status)")
    }
  }

  /// Returns the server's error in the result of a request.
  ///
  /// Errors of lost prepared statements are all of one kind.
  private func reportedError(
    _ result: OpaquePointer,
    of command: PreparedStatements.Command
  ) throws(PostgreSQLError) -> PostgreSQLError {
    let error = try serverError(result)
    switch command {
    case .execute(let name?) where error.sqlState == "0A000": prepared.outdate(name)
    case .execute(nil): return error
    default:
      guard error.kind == .statementForgotten else { return error }
      prepared.forget()
    }
    return PostgreSQLError(.statementForgotten, error.message, sqlState: error.sqlState)
  }

  /// Returns the server's error in a result.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `connectionLost` if the error is not the server's.
  func serverError(_ result: OpaquePointer) throws(PostgreSQLError) -> PostgreSQLError {
    guard let state = library.resultErrorField(result, LibPQConstant.sqlStateField) else {
      throw lost()
    }
    let message = library.resultErrorField(result, LibPQConstant.messageField)
    return PostgreSQLError(
      sqlState: String(cString: state),
      message: message.map { String(cString: $0) } ?? ""
    )
  }

  /// Waits for the next result; returns `nil` at the end of a statement's results.
  func nextResult() throws(PostgreSQLError) -> OpaquePointer? {
    let handle = try open()
    repeat {
      guard library.flush(handle) == 0, library.isBusy(handle) == 0 else {
        try wait()
        continue
      }
      return library.getResult(handle)
    } while true
  }
}
