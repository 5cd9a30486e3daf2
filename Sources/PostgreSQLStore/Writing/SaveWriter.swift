import Foundation
import PostgreSQLClient
import StoreHelpers
import StoreProtocol
import Synchronization

/// Writes the saves of an open store, and those that wait for each other in one transaction.
///
/// The statements of a save are sent with the requests of the next one, or with the commit. If no save
/// of a group reads rows, the whole group takes one round trip.
final class SaveWriter: GroupCommitting {
  private let session: Session
  private let map: StoreMap
  private let configuration: PostgreSQLStoreConfiguration
  private let position: StorePosition
  private let notifications: SaveNotifications?
  let group: GroupCommit<SaveWriter>
  /// The numbers that the next save probably gets.
  private let expectedNumbers: Mutex<ExpectedNumbers>
  /// The results of saves whose outcome is unknown.
  let indeterminate = Mutex<[UUID: StoreChangesResult]>([:])
  /// Those of them that waited for the server until the timeout.
  let exhausted = Mutex<Set<UUID>>([])

  init(
    _ session: Session,
    _ map: StoreMap,
    _ configuration: PostgreSQLStoreConfiguration,
    _ position: StorePosition,
    _ notifications: SaveNotifications?,
    expecting numbers: SaveNumbers?
  ) {
    self.session = session
    self.map = map
    self.configuration = configuration
    self.position = position
    self.notifications = notifications
    expectedNumbers = Mutex(ExpectedNumbers(numbers))
    group = GroupCommit(of: configuration.name)
  }

  /// A transaction in which saves are made.
  struct Transaction {
    let connection: Connection
    /// The deadline of the first save, which is the earliest of the group.
    fileprivate let deadline: Deadline
    fileprivate var time: WaitingTime
    fileprivate var basis: SaveBasis
    fileprivate var saves: [Made] = []
  }

  /// A save that is not committed yet, and its numbers with those that follow.
  struct Made {
    let identifier: UUID
    let result: StoreChangesResult
    let numbers: (save: SaveNumbers, next: SaveNumbers)?
  }

  /// Applies a batch, together with others that wait.
  func save(_ changes: StoreChanges) throws -> StoreChangesResult {
    // After a fork, the leader may be a thread of the parent process, which the child does not have.
    try session.checkProcess()
    let deadline = Deadline.after(configuration.timeout)
    return try group.save(
      deadline,
      rowCount: changes.rowCount,
      timeout: configuration.timeout,
      in: self
    ) { [self] in try make(changes, in: &$0) }
  }

  /// Makes saves in a transaction that has no saves of others.
  func alone<Result>(_ body: (inout Transaction) throws -> Result) throws -> Result {
    try session.checkProcess()
    var results: [Result] = []
    try commit(.after(configuration.timeout), SaveBasis(expecting: nil)) {
      results = [try body(&$0)]
    }
    return results[0]
  }

  /// Lets the store wait for the server for the whole timeout anew, after statements of a program.
  func renewTime(of transaction: inout Transaction) {
    transaction.time = WaitingTime(configuration.timeout, transaction.connection)
  }

  /// The number of bytes of statements from which a group takes no other save: they are in memory
  /// until the commit.
  private static var mostBytes: Int { 16 << 20 }

  func hasRoom(in transaction: Transaction) -> Bool {
    !transaction.deadline.isPassed
      && transaction.connection.postponedByteCount < Self.mostBytes
  }

  func add(
    to transaction: inout Transaction,
    _ save: (inout Transaction) throws -> Void
  ) throws {
    // If the server does not respond to the reads of this save, each save is made alone, for which
    // the first one needs the rest of its time.
    transaction.connection.deadline = transaction.deadline.share(of: 2)
    do {
      try save(&transaction)
    } catch {
      // Nothing is sent of a save that fails, unless the server refuses it and ends the transaction:
      // only the first save of a group has bulk changes, which are executed while it is made.
      throw error.ofServer == nil ? error : LostTransaction(cause: error)
    }
  }

  /// Reads the rows that a save depends on, and adds its statements to the transaction.
  func make(
    _ changes: StoreChanges,
    in transaction: inout Transaction
  ) throws -> StoreChangesResult {
    var save = try StoreSave(
      changes,
      map,
      configuration.history,
      position,
      transaction.connection,
      on: transaction.basis
    )
    let result = try save.prepare()
    transaction.connection.postpone(try save.statements())
    let numbers = save.numbersAfter
    transaction.saves.append(
      Made(identifier: changes.saveIdentifier, result: result, numbers: numbers)
    )
    transaction.basis.numbers = numbers?.next
    transaction.basis.isLocked = true
    return result
  }

  func transaction(
    of first: Deadline,
    _ body: (inout Transaction) throws -> Void
  ) throws {
    let expected = expectedNumbers.withLock { $0.current }
    do {
      try commit(first, SaveBasis(expecting: expected), body)
    } catch {
      // The server refused a statement, mostly a check. If another one, it does so again.
      guard expected != nil, error.ofServer?.isRefusal == true else { throw error }
      expectedNumbers.withLock { $0.reject() }
      try commit(first, SaveBasis(expecting: nil), body)
    }
  }

  private func commit(
    _ deadline: Deadline,
    _ basis: SaveBasis,
    _ body: (inout Transaction) throws -> Void
  ) throws {
    var saves: [Made] = []
    do {
      // A lock that is not granted must not leave the outcome unknown either.
      let lockTimeout = TransactionOptions.lockTimeout(within: deadline.remaining)
      try session.write(deadline: deadline, lockTimeout: lockTimeout) { connection in
        // A server that has no time to respond would leave the outcome unknown.
        guard !deadline.isPassed else {
          throw DataStoreError.savesTookTooLong(configuration.name)
        }
        var transaction = Transaction(
          connection: connection,
          deadline: deadline,
          time: WaitingTime(deadline.remaining, connection),
          basis: basis
        )
        try body(&transaction)
        saves = transaction.saves
        if saves.count > 1, let (numbers, next) = saves.last?.numbers {
          connection.postpone(numbers.statements(map.space, next: next))
        }
        connection.deadline = try transaction.time.deadline(on: connection)
        // Nor must a lock of another program that comes after the wait for the first one.
        let rest = TransactionOptions.lockTimeout(within: connection.deadline.remaining)
        if connection.hasBegun, TransactionOptions.isShort(rest, of: lockTimeout) {
          connection.setLockTimeout(rest)
        }
        try connection.commit(followedBy: notifications?.statement())
        guard let first = saves.first?.numbers, let last = saves.last, let numbers = last.numbers
        else { return }
        expectedNumbers.withLock { $0.record(first.save, next: numbers.next) }
        position.advance(to: numbers.save.save, last.identifier)
      }
    } catch let error as DataStoreError where error == .outcomeUnknown {
      for save in saves { indeterminate.withLock { $0[save.identifier] = save.result } }
      if deadline.isPassed { exhausted.withLock { $0.formUnion(saves.map(\.identifier)) } }
      throw error
    }
  }
}

/// The time that a transaction may wait for the server.
///
/// The time in which the store or the program computes does not count.
private struct WaitingTime {
  private let left: Duration
  private let waited: Duration

  /// Begins now.
  init(_ left: Duration, _ connection: Connection) {
    self.left = left
    waited = connection.waitingTime
  }

  /// Returns the deadline of the rest.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `deadlineExceeded` if there is none.
  func deadline(on connection: Connection) throws(PostgreSQLError) -> Deadline {
    let deadline = Deadline.after(left - (connection.waitingTime - waited))
    guard !deadline.isPassed else {
      throw PostgreSQLError(
        .deadlineExceeded,
        "The server took the whole timeout before COMMIT; the transaction is rolled back."
      )
    }
    return deadline
  }
}

/// The state from which a save begins.
struct SaveBasis {
  /// The numbers that the save gets, or `nil` if it has to reserve them before anything else.
  var numbers: SaveNumbers?
  /// Whether an earlier save of the transaction has reserved its numbers, so that these are certain.
  var isLocked = false
  /// Whether the save relies on what is mostly so.
  ///
  /// No new row has the unique values of another, and the rows exist to which new rows refer. If that
  /// is wrong, the server refuses the statements.
  let assumesRows: Bool

  /// Creates the state of the first save of a transaction.
  ///
  /// - Parameter numbers: The numbers that the save probably gets, or `nil` to rely on nothing.
  init(expecting numbers: SaveNumbers?) {
    self.numbers = numbers
    assumesRows = numbers != nil
  }
}

extension Error {
  /// The error of the server that caused this one, or `nil` if there is none.
  fileprivate var ofServer: PostgreSQLError? {
    switch self {
    case let error as LostTransaction: error.cause.ofServer
    case let error as DataStoreError: error.cause as? PostgreSQLError
    default: self as? PostgreSQLError
    }
  }
}
