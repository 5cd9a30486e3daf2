import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol

extension Database {
  /// Runs a body in a transaction of its own, which is durable when this method returns.
  ///
  /// - Parameters:
  ///   - save: The identifier by which an unknown outcome can be queried.
  ///   - checksReferences: Whether SQLite enforces foreign keys. A body that removes everything
  ///     does not need it.
  ///   - body: The writes.
  /// - Returns: The result of the body.
  /// - Throws: The body's errors, and then nothing was stored; ``DataStoreError/outcomeUnknown`` if
  ///   the commit failed and could not be rolled back.
  func write<Result>(
    _ save: UUID = UUID(),
    checksReferences: Bool = true,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try used(.saving) {
      guard let file else {
        return try writeInMemory(save, checksReferences: checksReferences, body)
      }
      let request = SaveRequest(save, file, checksReferences: checksReferences)
      return try group.alone { try transaction(of: request) { try $0.save(save, body) } }
    }
  }

  func writeInMemory<Result>(
    _ save: UUID,
    checksReferences: Bool = true,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try writer.withConnection { connection in
      func write() throws -> Result {
        var transaction = Transaction(connection: connection)
        return try connection.transaction { try transaction.save(save, body) }
      }
      let result = try checksReferences ? write() : connection.withoutReferenceChecks(write)
      notice(connection.save, at: nil)
      return result
    }
  }

  /// Provides access to the connection for changes, under the sidecar lock.
  func withWriter<Result>(
    before request: SaveRequest,
    _ body: (WriterSlot, Connection, StoreLock) throws -> Result
  ) throws -> Result {
    let file = request.file
    return try writer.withSlot { slot in
      if hasIndeterminateCommit.load(ordering: .acquiring) {
        try resolveIndeterminateCommit(file, before: request.save)
      }
      let lock = try slot.takeLock(for: request)
      defer { slot.release(lock) }
      if slot.connection.isLent { try endLending(slot, file) }
      let connection = try slot.usableConnection()
      try checkFiles(file, writingOn: connection)
      return try body(slot, connection, lock)
    }
  }
}

extension Database: GroupCommitting {
  typealias Request = SaveRequest

  /// The open transaction of a group of saves.
  struct Transaction {
    let connection: Connection
    /// The identifiers of the saves that were made.
    private(set) var saves: [UUID] = []

    /// Makes a save.
    mutating func save<Result>(
      _ identifier: UUID,
      _ body: (Connection) throws -> Result
    ) throws -> Result {
      try connection.beginSave()
      let result = try body(connection)
      if !connection.isSaveInHistory { try connection.countSave() }
      saves.append(identifier)
      return result
    }

    /// Forgets the saves after some, which were undone.
    fileprivate mutating func forgetSaves(after count: Int) { saves.removeSubrange(count...) }
  }

  /// Runs a body that is a save, in one transaction with the saves that wait at the same time.
  ///
  /// - Parameters:
  ///   - save: The identifier by which an unknown outcome can be queried.
  ///   - rowCount: The number of rows that the save writes.
  ///   - body: The writes. Another thread may run them, and again after a failure.
  /// - Returns: The result of the body, which is durable.
  /// - Throws: As ``write(_:checksReferences:_:)`` does.
  func writeInGroup<Result>(
    _ save: UUID,
    rowCount: Int,
    _ body: @escaping (Connection) throws -> Result
  ) throws -> Result {
    try used(.saving) {
      // Nothing is synced in memory, and other threads read on the same connection.
      guard let file else { return try writeInMemory(save, body) }
      return try group.save(
        SaveRequest(save, file),
        rowCount: rowCount,
        in: self
      ) { try $0.save(save, body) }
    }
  }

  /// Runs a body in one transaction, which is durable when this method returns.
  func transaction<Result>(
    of first: SaveRequest,
    _ body: (inout Transaction) throws -> Result
  ) throws -> Result {
    try withWriter(before: first) { slot, connection, lock in
      let patience = first.patience
      let result =
        try first.checksReferences
        ? commit(body, on: connection, lock, waiting: patience)
        : connection.withoutReferenceChecks {
          try commit(body, on: connection, lock, waiting: patience)
        }
      notice(connection.save, at: connection.logMark)
      try confirmLog(first.file, on: connection)
      if connection.logPageCount > max(Self.longestLog, slot.logPagesToWaitFor)
        || files?.shouldBecomeDurable == true
      {
        checkpointLongLog(slot, first.file)
      }
      return result
    }
  }

  func hasRoom(in transaction: Transaction) -> Bool { true }

  func add(
    to transaction: inout Transaction,
    _ save: (inout Transaction) throws -> Void
  ) throws {
    let connection = transaction.connection
    let (number, count) = (connection.save, transaction.saves.count)
    do {
      try connection.run("SAVEPOINT next")
      try save(&transaction)
      try connection.run("RELEASE next")
    } catch {
      guard connection.undoSavepoint() else { throw LostTransaction(cause: error) }
      connection.save = number
      transaction.forgetSaves(after: count)
      throw error
    }
  }
}

extension Connection {
  /// Undoes the statements since the savepoint of a save, and returns whether those before remain.
  fileprivate func undoSavepoint() -> Bool {
    inexactRows = InexactRows()
    // SQLite ends the transaction itself after some errors.
    guard !isUnusable, !isInAutocommit else { return false }
    return (try? run("ROLLBACK TO next")) != nil && (try? run("RELEASE next")) != nil
  }
}
