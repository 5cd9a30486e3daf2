import Foundation
import StoreProtocol

/// The server's responses to the statements of one round trip.
struct Exchange {
  /// The results up to the first error.
  var results: [QueryResult] = []
  /// The first error.
  var error: PostgreSQLError?
  /// Whether the server responded to all statements.
  ///
  /// The error is then its response to the statement after the last result. Otherwise the connection
  /// was lost, and later statements may have been executed: a pooler sends one error in place of all
  /// responses that are missing.
  var isComplete = false
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
    let added = self.added
    self.added = nil
    let statements = added.map { statements + [$0] } ?? statements
    var exchange = try self.exchange(statements)
    // A whole transaction was rolled back, because a prepared statement was lost.
    if exchange.error?.kind == .statementForgotten, isAlone {
      exchange = try self.exchange(statements)
    }
    if let error = exchange.error { throw error }
    if added != nil { addedResult = exchange.results.popLast() }
    return exchange.results
  }

  /// Runs a function whose first request also executes a statement, after its own and in the same
  /// round trip.
  ///
  /// - Returns: The function's result, and that of the statement, or `nil` if there was no request.
  /// - Throws: The function's errors.
  package func adding<Result>(
    _ statement: Statement,
    to body: () throws -> Result
  ) throws -> (Result, QueryResult?) {
    added = statement
    defer { (added, addedResult) = (nil, nil) }
    return (try body(), addedResult)
  }

  /// Sends statements, and receives the server's responses.
  ///
  /// - Throws: ``PostgreSQLError`` only if nothing was sent.
  func exchange(_ statements: [Statement]) throws(PostgreSQLError) -> Exchange {
    let first = opening + takePostponed()
    let all = first.isEmpty ? statements : first + statements
    guard all.allSatisfy({ $0.byteCount <= Statement.mostBytes }) else {
      throw PostgreSQLError(
        .limitExceeded,
        "The values of a statement are larger than a gigabyte, which the server does not accept."
      )
    }
    let handle = try open()
    opening = []
    roundTrips += 1
    let start = ContinuousClock.now
    defer { waitingTime += ContinuousClock.now - start }
    var planned = prepared.plan()
    var commands: [PreparedStatements.Command] = []
    var exchange = Exchange()
    let observedEnd = observe(all)
    defer { observedEnd?(exchange.error) }
    do throws(PostgreSQLError) {
      for statement in all {
        let statement = inSchema(statement)
        let begin = commands.count
        prepared.appendCommands(for: statement, to: &commands, planned: &planned)
        // A single request needs no pipeline.
        if begin == 0, all.count > 1 || commands.count > 1 {
          guard library.enterPipelineMode(handle) == 1 else { throw lost() }
        }
        for command in commands[begin...] { try send(command, statement, handle) }
      }
      if commands.count > 1, library.pipelineSync(handle) != 1 { throw lost() }
      try receive(commands, into: &exchange)
      if commands.count > 1 { try endPipeline(handle) }
      exchange.isComplete = true
    } catch {
      // Results of all statements count, whatever follows them.
      if exchange.error == nil, exchange.results.count < all.count { exchange.error = error }
    }
    exchange.results.removeFirst(min(first.count, exchange.results.count))
    return exchange
  }

  /// Returns a statement with the name of the schema in its places.
  func inSchema(_ statement: Statement) -> Statement {
    schema.map(statement.inSchema) ?? statement
  }

  /// Reports that the statements of a round trip begin, once to the observer of each request.
  ///
  /// Postponed statements may be those of other requests than the one that sends them.
  func observe(_ statements: [Statement]) -> StatementObserver.End? {
    let own = StatementObserver.current
    guard own != nil || statements.contains(where: { $0.observer != nil }) else { return nil }
    let observers = statements.map { $0.observer ?? own }
    var (reported, ends): ([StatementObserver], [StatementObserver.End]) = ([], [])
    for case let observer? in observers where !reported.contains(where: { $0 === observer }) {
      reported.append(observer)
      let sent = zip(statements, observers).filter { $0.1 === observer }
      ends.append(observer(sent.map { inSchema($0.0).sql }.joined(separator: "; ")))
    }
    return { [ends] error in for end in ends { end(error) } }
  }

  private func send(
    _ command: PreparedStatements.Command,
    _ statement: Statement,
    _ handle: OpaquePointer
  ) throws(PostgreSQLError) {
    let isSent: Bool
    switch command {
    case .drop(let name):
      let sql = name.withText { "DEALLOCATE " + ($0.map { String(cString: $0) } ?? "") }
      isSent = library.sendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1
    case .prepare(let name):
      let types = statement.parameters.map(\.typeID)
      isSent = name.withText {
        library.sendPrepare(handle, $0, statement.sql, Int32(types.count), types) == 1
      }
    case .execute(let name):
      isSent = withFields(of: statement.parameters) { count, values, lengths, formats in
        if let name {
          return name.withText {
            library.sendQueryPrepared(handle, $0, count, values, lengths, formats, 1) == 1
          }
        }
        let (sql, types) = (statement.sql, statement.parameters.map(\.typeID))
        return library.sendQueryParams(
          handle,
          sql,
          count,
          types,
          values,
          lengths,
          formats,
          1
        ) == 1
      }
    }
    guard isSent else { throw lost() }
  }

  /// Calls a function with the number, addresses, lengths and formats of parameters.
  private func withFields(
    of parameters: [Parameter],
    _ body: (Int32, LibPQ.CStrings, LibPQ.Integers, LibPQ.Integers) -> Bool
  ) -> Bool {
    let count = parameters.count
    // The last byte ensures that empty values have an address.
    let size = parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { bytes in
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { integers in
          var next = bytes.baseAddress
          for (index, parameter) in parameters.enumerated() {
            let field = parameter.bytes
            let length = field?.count ?? 0
            field?.withUnsafeBytes { source in
              if let next, let start = source.baseAddress { memcpy(next, start, length) }
            }
            values.initializeElement(at: index, to: field == nil ? nil : UnsafePointer(next))
            integers.initializeElement(at: index, to: Int32(length))
            integers.initializeElement(at: count + index, to: 1)
            next = next?.advanced(by: length)
          }
          let lengths = UnsafePointer(integers.baseAddress)
          let formats = lengths?.advanced(by: count)
          return body(Int32(count), UnsafePointer(values.baseAddress), lengths, formats)
        }
      }
    }
  }

  private func receive(
    _ commands: [PreparedStatements.Command],
    into exchange: inout Exchange
  ) throws(PostgreSQLError) {
    for command in commands {
      guard let result = try nextResult() else { throw invalidResponse("left out a result") }
      try take(result, of: command, into: &exchange)
      try drain()
    }
  }

  private func endPipeline(_ handle: OpaquePointer) throws(PostgreSQLError) {
    let end = try nextResult()
    let status = library.resultStatus(end)
    library.clear(end)
    guard status == LibPQConstant.pipelineSync else {
      throw invalidResponse("did not complete its results")
    }
    guard library.exitPipelineMode(handle) == 1 else {
      throw invalidResponse("sent more results than statements")
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
      exchange.error = try reportedError(result, of: command)
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
    // A statement that was prepared while a rule replaced it by nothing depends on no table, so that
    // the server keeps to the rule after it was dropped.
    if error.isFailedCheck { prepared.outdateAll() }
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
