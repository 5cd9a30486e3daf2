import Dispatch
import Foundation
import StoreHelpers
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// A store of a list of numbers, whose commits are counted.
private final class Ledger: GroupCommitting {
  struct Transaction {
    var numbers: [Int]
    let count: Int
  }

  struct Refusal: Error, Equatable { let number: Int }

  struct State {
    var numbers: [Int] = []
    /// The numbers of each commit.
    var commits: [[Int]] = []
    /// The errors of the next commits.
    var failures: [any Error] = []
    /// The number of transactions that are begun again before their commit.
    var repeats = 0
  }

  let state = Mutex(State())
  let group = GroupCommit<Ledger>()
  let gate: WaitingGate

  /// Creates a ledger whose first save waits until some others wait for it.
  init(waiting count: Int) { gate = WaitingGate(for: count) }

  func transaction(of first: UUID, _ body: (inout Transaction) throws -> Void) throws {
    let before = state.withLock { $0.numbers }
    var transaction = Transaction(numbers: before, count: before.count)
    try body(&transaction)
    while state.withLock({ $0.repeats > 0 }) {
      transaction = Transaction(numbers: before, count: before.count)
      try body(&transaction)
      state.withLock { $0.repeats -= 1 }
    }
    let numbers = transaction.numbers
    try state.withLock { state in
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
      state.numbers = numbers
      state.commits.append(Array(numbers[before.count...]))
    }
  }

  func hasRoom(in transaction: Transaction) -> Bool { true }

  func add(
    to transaction: inout Transaction,
    _ save: (inout Transaction) throws -> Void
  ) throws {
    let before = transaction.numbers
    do {
      try save(&transaction)
    } catch let error as Refusal {
      // Such an error ends the whole transaction.
      if error.number < 0 { throw LostTransaction(cause: error) }
      transaction.numbers = before
      throw error
    }
  }

  /// Saves a number, or fails after the change of the list, and returns its position.
  @discardableResult
  func save(
    _ number: Int,
    rowCount: Int = 1,
    timeout: Duration? = nil,
    _ isRefused: @escaping (Transaction) -> Bool = { _ in false }
  ) throws -> Int {
    try group.save(UUID(), rowCount: rowCount, timeout: timeout, in: self) { [self] transaction in
      gate.wait { group.waitingCount }
      transaction.numbers.append(number)
      if isRefused(transaction) { throw Refusal(number: number) }
      return transaction.numbers.count - 1
    }
  }

  /// Saves numbers on threads of their own, which arrive in their order while the first save waits.
  func saveTogether(
    _ numbers: [Int],
    _ isRefused: @escaping @Sendable (Int, Transaction) -> Bool = { _, _ in false }
  ) -> [Result<Int, any Error>] {
    run(numbers.count) { index in
      try self.save(numbers[index]) { isRefused(numbers[index], $0) }
    }
  }

  /// Runs a body on threads of their own, each of which arrives when those before it wait.
  func run<Value>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    ArrivingThreads.run(count, at: gate, waiting: { self.group.waitingCount }, body)
  }
}

@Suite("Group commit", .timeLimit(.minutes(30)))
struct GroupCommitTests {
  @Test func `commits a save that comes alone at once`() throws {
    let ledger = Ledger(waiting: 0)
    #expect(try ledger.save(1) == 0)
    #expect(try ledger.save(2) == 1)
    #expect(ledger.state.withLock { $0.commits } == [[1], [2]])
  }

  @Test func `commits saves that wait together, in the order of their arrival`() throws {
    let ledger = Ledger(waiting: 63)
    let numbers = Array(1...64)
    let positions = try ledger.saveTogether(numbers).map { try $0.get() }
    #expect(positions == Array(0..<64))
    #expect(ledger.state.withLock { $0.commits } == [numbers])
    #expect(try ledger.save(65) == 64)
  }

  @Test func `lets others go first after a group of several, and after no other`() throws {
    let ledger = Ledger(waiting: 2)
    let courtesies = Mutex(0)
    /// Saves a number in the body of a background task, and returns how often it let others go first.
    func save(_ number: Int) throws -> Int {
      let before = courtesies.withLock { $0 }
      let waiting = SaveWaiting(afterOthers: { courtesies.withLock { $0 += 1 } }, { $0() })
      try SaveWaiting.$current.withValue(waiting) { _ = try ledger.save(number) }
      return courtesies.withLock { $0 } - before
    }
    for result in ledger.saveTogether([1, 2, 3]) { _ = try result.get() }
    #expect(try save(4) == 1)
    #expect(try save(5) == 0)
    #expect(try ledger.save(6) == 5)
  }

  @Test func `limits a group, and lets the next save lead another`() throws {
    let ledger = Ledger(waiting: 199)
    let positions = try ledger.saveTogether(Array(0..<200)).map { try $0.get() }
    #expect(positions == Array(0..<200))
    #expect(ledger.state.withLock { $0.commits.map(\.count) } == [128, 72])
  }

  @Test func `makes no large save for another thread`() throws {
    let ledger = Ledger(waiting: 4)
    let rowCounts = [5_000, 600, 600, 5_000, 1]
    let results = ledger.run(5) { try ledger.save($0, rowCount: rowCounts[$0]) }
    #expect(try results.map { try $0.get() } == Array(0..<5))
    #expect(ledger.state.withLock { $0.commits } == [[0, 1], [2], [3, 4]])
  }

  @Test func `leaves the others of a group alone if a save fails`() throws {
    let ledger = Ledger(waiting: 4)
    let results = ledger.saveTogether([1, 2, 3, 4, 5]) { number, _ in number == 3 }
    #expect(results.map { try? $0.get() } == [0, 1, nil, 2, 3])
    #expect(throws: Ledger.Refusal(number: 3)) { try results[2].get() }
    #expect(ledger.state.withLock { $0.commits } == [[1, 2, 4, 5]])
  }

  @Test func `makes the same saves if the store begins the transaction again`() throws {
    let ledger = Ledger(waiting: 3)
    ledger.state.withLock { $0.repeats = 2 }
    let results = ledger.saveTogether([1, 2, 3, 4]) { number, _ in number == 2 }
    #expect(results.map { try? $0.get() } == [0, nil, 1, 2])
    #expect(ledger.state.withLock { $0.commits } == [[1, 3, 4]])
  }

  @Test func `limits the rows of a group whose transaction the store begins again`() throws {
    let ledger = Ledger(waiting: 2)
    ledger.state.withLock { $0.repeats = 1 }
    let rowCounts = [1, 600, 600]
    let results = ledger.run(3) { try ledger.save($0, rowCount: rowCounts[$0]) }
    #expect(try results.map { try $0.get() } == [0, 1, 2])
    #expect(ledger.state.withLock { $0.commits } == [[0, 1], [2]])
  }

  @Test func `hands on the lead if the first save fails`() throws {
    let ledger = Ledger(waiting: 2)
    let results = ledger.saveTogether([1, 2, 3]) { number, _ in number == 1 }
    #expect(results.map { try? $0.get() } == [nil, 0, 1])
    #expect(throws: Ledger.Refusal(number: 1)) { try results[0].get() }
  }

  @Test func `makes each save alone if one has ended the transaction`() throws {
    let ledger = Ledger(waiting: 3)
    let results = ledger.saveTogether([1, 2, -3, 4]) { number, _ in number < 0 }
    #expect(results.map { try? $0.get() }.prefix(3) == [0, 1, nil])
    #expect(throws: Ledger.Refusal(number: -3)) { try results[2].get() }
    #expect(try results[3].get() == 2)
    #expect(ledger.state.withLock { $0.commits.prefix(2) } == [[1], [2]])
  }

  @Test func `makes each save alone if the commit fails, even one that failed`() throws {
    let ledger = Ledger(waiting: 2)
    let full = DataStoreError(.notSaved, "full")
    ledger.state.withLock { $0.failures = [full, full] }
    // The last save fails after another one, which is not stored in the end.
    let results = ledger.saveTogether([1, 2, 3]) { $0 == 3 && $1.numbers.contains(1) }
    #expect(throws: DataStoreError.notSaved) { try results[0].get() }
    #expect(results.map { try? $0.get() } == [nil, 0, 1])
    #expect(ledger.state.withLock { $0.commits } == [[2], [3]])
  }

  @Test func `has an unknown outcome for each save if that of the commit is unknown`() throws {
    let ledger = Ledger(waiting: 3)
    ledger.state.withLock { $0.failures = [DataStoreError(.outcomeUnknown, "cut off")] }
    let results = ledger.saveTogether([1, 2, 3, 4]) { number, _ in number == 3 }
    for index in [0, 1, 3] {
      #expect(throws: DataStoreError.outcomeUnknown) { try results[index].get() }
    }
    #expect(throws: Ledger.Refusal(number: 3)) { try results[2].get() }
    #expect(ledger.state.withLock { $0.numbers }.isEmpty)
  }

  @Test func `runs other work on its own thread, between the groups before and after it`() throws {
    let ledger = Ledger(waiting: 4)
    let results = ledger.run(5) { index in
      if index != 2 { return try ledger.save(index) }
      let thread = Thread.current
      return ledger.group.alone {
        #expect(thread === Thread.current)
        // A save by the same thread does not wait for it.
        #expect((try? ledger.save(100)) == 2)
        return -1
      }
    }
    #expect(try results.map { try $0.get() } == [0, 1, -1, 3, 4])
    #expect(ledger.state.withLock { $0.commits } == [[0, 1], [100], [3, 4]])
  }

  @Test func `does not make a save that waits for longer than its timeout`() throws {
    let ledger = Ledger(waiting: 0)
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let result = Mutex<Result<Int, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let saved = Result {
        try ledger.save(1) { _ in
          begun.signal()
          ended.wait()
          return false
        }
      }
      result.withLock { $0 = saved }
      done.signal()
    }
    begun.wait()
    #expect(throws: DataStoreError.storeBusy) {
      try ledger.save(2, timeout: .milliseconds(1))
    }
    #expect(ledger.group.waitingCount == 0)
    ended.signal()
    done.wait()
    #expect(try result.withLock { try $0?.get() } == 0)
    #expect(try ledger.save(3, timeout: .seconds(60)) == 1)
    #expect(ledger.state.withLock { $0.numbers } == [1, 3])
  }

  /// Saves 0 and then another number, which is in the group of 0 when its time ends.
  private func saveLate(
    _ number: Int,
    in ledger: Ledger,
    isRefused: Bool = false
  ) -> [Result<Int, any Error>] {
    // A save waits once more when its time has ended.
    let waits = Mutex(0)
    return ledger.run(2) { index in
      if index == 0 { return try ledger.save(0) }
      let waiting = SaveWaiting { wait in
        waits.withLock { $0 += 1 }
        wait()
      }
      return try SaveWaiting.$current.withValue(waiting) {
        try ledger.save(number, timeout: .milliseconds(200)) { _ in
          while waits.withLock({ $0 < 2 }) { usleep(50) }
          return isRefused
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `waits for the end of its group after its timeout, and is not made again`(
    fails: Bool
  ) throws {
    let ledger = Ledger(waiting: 1)
    if fails { ledger.state.withLock { $0.failures = [Ledger.Refusal(number: 0)] } }
    let results = saveLate(1, in: ledger)
    #expect(try results[0].get() == 0)
    if fails {
      #expect(throws: DataStoreError.storeBusy) { try results[1].get() }
    } else {
      #expect(try results[1].get() == 1)
    }
    #expect(ledger.state.withLock { $0.numbers } == (fails ? [0] : [0, 1]))
  }

  @Test func `throws the error of a late save that has ended the transaction`() throws {
    let ledger = Ledger(waiting: 1)
    let results = saveLate(-1, in: ledger, isRefused: true)
    #expect(try results[0].get() == 0)
    #expect(throws: Ledger.Refusal(number: -1)) { try results[1].get() }
    #expect(ledger.state.withLock { $0.numbers } == [0])
  }

  @Test func `makes a save in the environment of its thread`() throws {
    let ledger = Ledger(waiting: 2)
    let results = ledger.run(3) { index in
      var environment = StoreEnvironment()
      environment.processIdentifier = "\(index)"
      return try StoreEnvironment.$current.withValue(environment) {
        try ledger.group.save(UUID(), rowCount: 1, in: ledger) { _ in
          ledger.gate.wait { ledger.group.waitingCount }
          return StoreEnvironment.current.processIdentifier
        }
      }
    }
    #expect(try results.map { try $0.get() } == ["0", "1", "2"])
  }

  @Test func `keeps nothing of a save when it returns`() throws {
    let ledger = Ledger(waiting: 3)
    final class Value: Sendable {}
    let results = ledger.run(4) { _ in
      weak var kept: Value?
      do {
        let value = Value()
        kept = value
        try ledger.group.save(UUID(), rowCount: 1, in: ledger) { _ in
          ledger.gate.wait { ledger.group.waitingCount }
          withExtendedLifetime(value) {}
        }
      }
      return kept == nil
    }
    #expect(try results.map { try $0.get() } == [true, true, true, true])
  }
}
