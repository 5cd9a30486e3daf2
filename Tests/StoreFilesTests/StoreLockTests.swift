import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreFiles

@Suite struct StoreLockTests {
  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test func `a second open file is refused while the first has the lock`() throws {
    let folder = try temporary.folder()
    let lock = try StoreLock(of: "a", in: folder)
    try lock.describeHolder("tests")
    let holder = "process \(ProcessInfo.processInfo.processIdentifier), tests"
    #expect(throws: StoreLock.Failure.busy(holder: holder)) {
      try StoreLock(of: "a", in: folder, waitingMilliseconds: 3)
    }
    withExtendedLifetime(lock) {}
  }

  @Test func `the lock is released with its holder, and its file remains`() throws {
    let folder = try temporary.folder()
    do { _ = try StoreLock(of: "a", in: folder) }
    _ = try StoreLock(of: "a", in: folder)
    #expect(try temporary.names == ["a.lock"])
  }

  @Test func `readers share the lock and exclude a writer`() throws {
    let folder = try temporary.folder()
    let first = try StoreLock(of: "a", in: folder, exclusively: false)
    let second = try StoreLock(of: "a", in: folder, exclusively: false)
    #expect(throws: StoreLock.Failure.self) { try StoreLock(of: "a", in: folder) }
    withExtendedLifetime((first, second)) {}
  }

  /// The holder releases the lock and acquires it again immediately, like a program that opens a
  /// store, saves and closes it in a loop.
  @Test func `a waiter gets the lock before its previous holder`() throws {
    let (own, others) = (try temporary.folder(), try temporary.folder())
    let releases = Mutex(0)
    let isWaiting = Mutex(false)
    // The number of times that the holder released the lock before the waiter had it.
    let needed = Mutex<Int?>(nil)
    var lock: StoreLock? = try StoreLock(of: "a", in: own)
    let waiter = Thread {
      isWaiting.withLock { $0 = true }
      let lock = try? StoreLock(of: "a", in: others, waitingMilliseconds: 60_000, inTurn: true)
      needed.withLock { $0 = lock == nil ? .max : releases.withLock(\.self) }
    }
    waiter.start()
    while !isWaiting.withLock(\.self) { Thread.sleep(forTimeInterval: 0.001) }
    Thread.sleep(forTimeInterval: 0.1)
    while needed.withLock({ $0 == nil }) {
      releases.withLock { $0 += 1 }
      lock = nil
      lock = try StoreLock(of: "a", in: own, waitingMilliseconds: 60_000, inTurn: true)
    }
    #expect(needed.withLock(\.self) == 1)
    withExtendedLifetime(lock) {}
  }

  @Test func `a folder that is locked for another purpose only delays the lock`() throws {
    let (own, others) = (try temporary.folder(), try temporary.folder())
    #expect(try others.tryLock(exclusively: true))
    let lock = try StoreLock(of: "a", in: own, waitingMilliseconds: 5, inTurn: true)
    #expect(throws: StoreLock.Failure.self) { try StoreLock(of: "a", in: temporary.folder()) }
    // The lock does not use or release the folder's lock of the other.
    #expect(try !temporary.folder().tryLock(exclusively: true))
    withExtendedLifetime((lock, others)) {}
  }

  @Test func `a released lock is taken again while its file has its name`() throws {
    let folder = try temporary.folder()
    let lock = try StoreLock(of: "a", in: folder)
    lock.release()
    #expect(try lock.takeAgain(in: folder, waitingMilliseconds: 0))
    #expect(throws: StoreLock.Failure.self) { try StoreLock(of: "a", in: folder) }
    lock.release()
    do {
      let other = try StoreLock(of: "a", in: folder, exclusively: false)
      #expect(throws: StoreLock.Failure.self) {
        try lock.takeAgain(in: folder, waitingMilliseconds: 3)
      }
      withExtendedLifetime(other) {}
    }
    try folder.remove("a.lock")
    let new = try StoreLock(of: "a", in: folder)
    #expect(try !lock.takeAgain(in: folder, waitingMilliseconds: 0))
    withExtendedLifetime(new) {}
  }

  @Test func `a failed system call is reported differently from a busy store`() throws {
    let access = FaultyFileAccess()
    let folder = try temporary.folder(access: access)
    access.reset(.once(call: 2, code: ENOLCK))
    #expect {
      try StoreLock(of: "a", in: folder)
    } throws: {
      guard case .file(let error) = $0 as? StoreLock.Failure else { return false }
      return error.operation == .lock && error.code == ENOLCK
    }
  }

  @Test func `an unreadable lock file results in a general message`() throws {
    let folder = try temporary.folder()
    try Data([0xFF, 0xFE]).write(to: URL(filePath: temporary.path + "/a.lock"))
    let lock = try StoreLock(of: "a", in: folder)
    let busy = StoreLock.Failure.busy(holder: "another process or connection")
    #expect(throws: busy) { try StoreLock(of: "a", in: folder) }
    withExtendedLifetime(lock) {}
  }
}
