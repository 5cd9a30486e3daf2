import Dispatch
import Foundation
import StoreProtocol
import Synchronization

/// A store that can commit several saves at once.
package protocol GroupCommitting: Sendable {
  /// The open transaction, or the locked state, that saves change.
  associatedtype Transaction
  /// The part of a save on which a transaction depends that begins with it.
  associatedtype Request

  /// Begins a transaction, runs a body that makes saves in it, and commits them.
  ///
  /// - Parameters:
  ///   - first: The request of the first save.
  ///   - body: The saves; after a failure it may be run again, in another transaction.
  /// - Throws: The errors of the body and the commit, and then nothing is stored;
  ///   ``DataStoreError/outcomeUnknown`` if that is not certain.
  func transaction(of first: Request, _ body: (inout Transaction) throws -> Void) throws

  /// Returns whether the transaction can have another save.
  func hasRoom(in transaction: Transaction) -> Bool

  /// Makes another save in the transaction, and undoes it if it throws.
  ///
  /// - Throws: The error of the save; ``LostTransaction`` if the saves before it are undone as well.
  func add(to transaction: inout Transaction, _ save: (inout Transaction) throws -> Void) throws
}

/// The error of a save that ended the transaction of its group.
package struct LostTransaction: Error {
  /// The error of the save.
  package let cause: any Error

  /// Creates the error with the one of the save.
  package init(cause: any Error) { self.cause = cause }
}

/// Commits saves together that wait for each other, so that they share one sync of the disk.
///
/// A save that finds no other one becomes the leader and begins a transaction. Saves that come before
/// the commit wait. When the leader has made its own save, it makes theirs, in the order of their
/// arrival and each of them undone alone if it fails. It then commits, wakes its own, and lets the first
/// save that came too late lead the next group. It does so last: those that it woke may save again soon,
/// and are then waiting. A save that comes alone waits for nothing and takes no savepoint. After a group of
/// several, a leader in the body of a background task lets bodies go first that need nothing but a thread
/// (`SaveWaiting`): if the first of many that run in turns led a group of its own, they would take two
/// syncs in place of one. A large save is made by no other leader, so that it delays none.
///
/// - Each save keeps its number, its transaction in the history, and its checks. It sees the saves
///   before it in the group. Readers see all of them at the commit.
/// - An error of one save is that save's alone, and is thrown after the commit, since it may depend on
///   saves before it. If the group fails as a whole, each of its saves is made again in its turn, by its
///   own thread in a transaction of its own, so that none waits for the others' failures. If the outcome
///   of its commit is unknown, it is so for each save that is part of it: one that failed is undone in
///   any case.
/// - The thread of the leader makes all saves of a group, in the environments of their threads, which
///   wait. Code of the program that relies on its own thread runs in ``alone(_:)``. The leader keeps
///   nothing of a save that it has made, so that objects end on the threads of their contexts.
/// - A save by code that runs within another save of the same thread does not wait for that one.
/// - A save with a timeout waits no longer for its turn. If it is part of a group by then, it waits for
///   the end of the group, which is nearer: the time of the leader began before.
package final class GroupCommit<Store: GroupCommitting>: Sendable {
  /// The maximum number of saves in a group, and of the rows that the leader writes for others.
  ///
  /// They limit the time that the first save takes.
  private static var mostSaves: Int { 128 }
  private static var mostRows: Int { 1_000 }

  private typealias Save = (inout Store.Transaction) throws -> Void

  private enum Role { case leader, nested, done, late }

  private struct State {
    /// The thread that leads or is about to, or `nil` if there is none.
    var leader: ObjectIdentifier?
    var waiting: [Member] = []
    /// Whether the last group had several saves.
    var wasShared = false
  }

  private let state = Mutex(State())
  private let file: String?

  /// Creates a group commit without saves.
  ///
  /// - Parameter file: The path or name of the store, for errors.
  package init(of file: String? = nil) { self.file = file }

  /// The number of saves that wait for the leader.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Makes a save, together with others that wait.
  ///
  /// - Parameters:
  ///   - request: The part of the save on which a transaction depends.
  ///   - rowCount: The number of rows that the save writes.
  ///   - timeout: The maximum time to wait for other saves, or `nil` for any time.
  ///   - store: The store.
  ///   - body: The save, which may run on another thread, and again after a failure.
  /// - Returns: The result of the body, which is stored.
  /// - Throws: The error of the body or the commit; ``DataStoreError/storeBusy`` after the timeout.
  package func save<Value>(
    _ request: Store.Request,
    rowCount: Int,
    timeout: Duration? = nil,
    in store: Store,
    _ body: @escaping (inout Store.Transaction) throws -> Value
  ) throws -> Value {
    var result: Value?
    let save: Save = { result = try body(&$0) }
    let (role, member) = enter(save, rowCount, timeout)
    if role == .late { throw member?.error ?? DataStoreError.savesTookTooLong(file) }
    var failure = member?.error
    if role != .done {
      let isShared = role == .leader && member?.isShared != false
      if isShared, let waiting = SaveWaiting.current, state.withLock({ $0.wasShared }) {
        waiting.letOthersRun()
      }
      let (others, error) = commit(save, of: request, in: store, isShared: isShared)
      for other in others { other.end() }
      if role == .leader { leave(wasShared: !others.isEmpty) }
      failure = error
    }
    if let failure { throw failure }
    guard let result else { throw DataStoreError(.notSaved, "the save was not made; save again") }
    return result
  }

  /// Runs a body while no group is made, on this thread and in its turn.
  package func alone<Value>(_ body: () throws -> Value) rethrows -> Value {
    let (role, _) = enter(nil, .max)
    defer { if role == .leader { leave(wasShared: false) } }
    return try body()
  }

  /// Leads, or waits for the leader as a member if there is one.
  ///
  /// - Parameters:
  ///   - save: The save, or `nil` for work that only its own thread does.
  ///   - rowCount: The number of rows that the save writes.
  ///   - timeout: The maximum time to wait, or `nil` for any time.
  /// - Returns: The role, and the member if this thread had to wait.
  private func enter(
    _ save: Save?,
    _ rowCount: Int,
    _ timeout: Duration? = nil
  ) -> (role: Role, member: Member?) {
    let thread = ObjectIdentifier(Thread.current)
    var member: Member?
    let leader = state.withLock { state in
      let leader = state.leader
      if leader == nil {
        state.leader = thread
      } else if leader != thread {
        let new = Member(thread, rowCount, save)
        state.waiting.append(new)
        member = new
      }
      return leader
    }
    guard let member else { return (leader == nil ? .leader : .nested, nil) }
    if !member.wait(timeout) {
      if withdraw(member) { return (.late, member) }
      member.wait()
    }
    return (member.isLeader ? .leader : .done, member)
  }

  /// Takes back a save that has waited too long, unless it is part of a group or about to lead.
  private func withdraw(_ member: Member) -> Bool {
    state.withLock { state in
      member.isLate = true
      guard let index = state.waiting.firstIndex(where: { $0 === member }) else { return false }
      state.waiting.remove(at: index)
      return true
    }
  }

  /// Lets the next thread lead, after a group of several saves or of one.
  private func leave(wasShared: Bool) {
    let next = state.withLock { state in
      state.wasShared = wasShared
      let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      state.leader = next?.thread
      return next
    }
    next?.lead()
  }

  /// Commits a save of this thread, and others that come before the commit.
  ///
  /// - Returns: The others whose saves have ended, and the error of this thread's save.
  private func commit(
    _ save: Save,
    of request: Store.Request,
    in store: Store,
    isShared: Bool
  ) -> (others: [Member], error: (any Error)?) {
    var others: [Member] = []
    var room = Self.mostRows
    do {
      try store.transaction(of: request) { transaction in
        try save(&transaction)
        // If the transaction was begun again, its group is there already.
        for next in others { try add(next, to: &transaction, in: store) }
        while isShared, waitingCount > 0, others.count < Self.mostSaves - 1,
          store.hasRoom(in: transaction), let next = takeNext(room)
        {
          room -= next.rowCount
          others.append(next)
          try add(next, to: &transaction, in: store)
        }
      }
      return (others, nil)
    } catch {
      guard !others.isEmpty, (error as? DataStoreError) != .outcomeUnknown else {
        for other in others where other.error == nil { other.error = error }
        return (others, error)
      }
      // The error of a save may depend on saves before it, which are rolled back with the group.
      for other in others where !(error is LostTransaction && other === others.last) {
        other.error = nil
      }
      return ([], commitAlone(save, of: request, in: store, apartFrom: others))
    }
  }

  /// Commits the save of this thread alone after its group was not committed, and returns its error.
  ///
  /// The others wait again, for a transaction of their own each, unless they have waited too long. The
  /// one that ended the transaction keeps its error for that case.
  private func commitAlone(
    _ save: Save,
    of request: Store.Request,
    in store: Store,
    apartFrom others: [Member]
  ) -> (any Error)? {
    let late = state.withLock { state in
      for other in others { other.isShared = false }
      state.waiting.insert(contentsOf: others.filter { !$0.isLate }, at: 0)
      return others.filter(\.isLate)
    }
    for other in late {
      other.error = other.error ?? DataStoreError.savesTookTooLong(file)
      other.end()
    }
    do {
      try store.transaction(of: request, save)
      return nil
    } catch {
      return error
    }
  }

  /// Makes the save of a follower, which keeps its error.
  private func add(
    _ member: Member,
    to transaction: inout Store.Transaction,
    in store: Store
  ) throws(LostTransaction) {
    member.error = nil
    do {
      try member.make(in: store, &transaction)
    } catch let error as LostTransaction {
      member.error = error.cause
      throw error
    } catch {
      member.error = error
    }
  }

  /// Takes the next save, unless it writes too many rows or has failed in a group.
  private func takeNext(_ mostRows: Int) -> Member? {
    state.withLock { state in
      guard let next = state.waiting.first, next.isShared, next.rowCount <= mostRows else {
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  /// A save, or other work, that waits for the leader, and the thread that wants it.
  // Unchecked: only the leader uses it while its thread waits, and only that thread otherwise.
  private final class Member: @unchecked Sendable {
    let thread: ObjectIdentifier
    let rowCount: Int
    var error: (any Error)?
    /// Whether the save may be made in a group; one that failed with its group is made alone.
    var isShared = true
    /// Whether its thread has waited too long, accessed with the lock of the group.
    var isLate = false
    private(set) var isLeader = false
    private var save: Save?
    private let turn = DispatchSemaphore(value: 0)
    private let environment = StoreEnvironment.current
    private let coding = TypedSnapshotCoding.current
    private let observer = StatementObserver.current

    /// Creates the member of a thread with a save, or with `nil` for work that only this thread does.
    init(_ thread: ObjectIdentifier, _ rowCount: Int, _ save: Save?) {
      self.thread = thread
      self.rowCount = rowCount
      self.save = save
    }

    /// Makes the save on the thread of the leader, in the environment of its own.
    func make(in store: Store, _ transaction: inout Store.Transaction) throws {
      guard let save else { return }
      try StoreEnvironment.$current.withValue(environment) {
        try TypedSnapshotCoding.$current.withValue(coding) {
          try StatementObserver.observing(observer) { try store.add(to: &transaction, save) }
        }
      }
    }

    /// Waits until the thread leads or the save is made, and returns whether that came in time.
    @discardableResult
    func wait(_ timeout: Duration? = nil) -> Bool {
      let end = timeout.map { DispatchTime.now() + $0 / .seconds(1) } ?? .distantFuture
      var isInTime = true
      func wait() { isInTime = turn.wait(timeout: end) == .success }
      if let waiting = SaveWaiting.current { waiting(wait) } else { wait() }
      return isInTime
    }

    /// Lets the thread lead, which then makes its save itself.
    func lead() {
      save = nil
      isLeader = true
      turn.signal()
    }

    /// Lets the thread continue after its save.
    func end() {
      save = nil
      turn.signal()
    }
  }
}

extension DataStoreError {
  /// Returns the error of a save that was not made because others took its time.
  package static func savesTookTooLong(_ file: String? = nil) -> DataStoreError {
    DataStoreError(
      .storeBusy,
      "the saves before this one took longer than the timeout; nothing of it is stored: save again",
      file: file
    )
  }
}

extension StoreChanges {
  /// The number of rows that a save writes, as far as it is known before.
  package var rowCount: Int {
    guard bulkChanges.isEmpty else { return .max }
    return (insertions + updates).reduce(deleted.count) { $0 + $1.count }
  }
}
