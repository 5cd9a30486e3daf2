import Foundation
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Saves of one transaction in PostgreSQL` {
  @Test func `are stored with numbers in the order of their arrival`() throws {
    try GroupSample.with(waiting: 15) { sample in
      let names = (0..<16).map { "\($0)" }
      let results = try sample.save(names.map(sample.newMark)).map { try $0.get() }
      #expect(results.map(\.version) == Array(2...17))
      #expect(results.flatMap(\.firstKeys) == Array(1...16))
      #expect(try sample.names() == names)
      #expect(try sample.transactions() == 1)
      #expect(try sample.store.transactions(StoreHistoryQuery()).map(\.number) == Array(2...17))
      #expect(try sample.store.apply(sample.newMark("16")).version == 18)
      #expect(try PostgreSQLStore(sample.store.configuration).apply(StoreChanges()).version == 19)
    }
  }

  @Test func `write the row of counters twice, however many they are`() throws {
    try GroupSample.with(waiting: 7) { sample in
      let space = sample.store.space
      try sample.store.administrate("CREATE SEQUENCE \(space).versions")
      try onCounters(of: sample, "IF nextval('\(space).versions') > 0 THEN RETURN NEW; END IF;")
      let results = try sample.save((0..<8).map { sample.newMark("\($0)") }).map { try $0.get() }
      #expect(results.map(\.version) == Array(2...9))
      #expect(try sample.transactions() == 1)
      let written = try sample.store.administrate("SELECT last_value FROM \(space).versions")
      #expect(written == 2)
      let last = results.last?.version
      #expect(try sample.store.administrate("SELECT last_save FROM \(space)._meta") == last)
    }
  }

  @Test func `are made again, each alone, if the server discards the counters of all`() throws {
    try GroupSample.with(waiting: 3) { sample in
      // The last update of a group counts more than one save.
      try onCounters(
        of: sample,
        "IF NEW.last_save > OLD.last_save + 1 THEN RETURN NULL; END IF; RETURN NEW;"
      )
      let results = sample.save((0..<4).map { sample.newMark("\($0)") })
      #expect(try results.map { try $0.get().version } == [2, 3, 4, 5])
      #expect(try sample.names() == ["0", "1", "2", "3"])
      #expect(try sample.transactions() == 4)
    }
  }

  /// Makes a trigger that runs before each update of the row of counters.
  private func onCounters(of sample: GroupSample, _ body: String) throws {
    let space = sample.store.space
    try sample.store.administrate(
      "CREATE FUNCTION \(space).counting() RETURNS trigger LANGUAGE plpgsql AS "
        + "$$ BEGIN \(body) RETURN NULL; END $$"
    )
    try sample.store.administrate(
      "CREATE TRIGGER counting BEFORE UPDATE ON \(space)._meta FOR EACH ROW "
        + "EXECUTE FUNCTION \(space).counting()"
    )
  }

  @Test func `leave each other alone if one fails, and see those before them`() throws {
    try GroupSample.with(waiting: 5) { sample in
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: sample.store.identifier,
        entityName: "Mark"
      )
      var stale = sample.newMark("stale")
      let missing = PersistentIdentifier(scope: scope, key: .integer(77))
      stale.deleted = [missing]
      stale.expectedVersions = [missing: 1]
      let results = sample.save([
        sample.newMark("1"), stale, sample.newBeacon("a", height: 1), sample.newMark("2"),
        sample.newBeacon("a", height: 2), sample.newMark("3"),
      ])
      #expect(results.map { try? $0.get().version } == [2, nil, 3, 4, 5, 6])
      #expect(throws: DataStoreError.conflict) { try results[1].get() }
      #expect(try sample.names() == ["1", "2", "3"])
      #expect(try results[4].get().merged.count == 1)
      let beacons = try sample.store.fetch(StoreQuery(entity: "Beacon"))
      #expect(beacons.map { $0["height"] } == [.integer(2)])
      #expect(try sample.transactions() == 1)
    }
  }

  @Test func `are made again, each alone, if the server refuses one`() throws {
    try GroupSample.with(waiting: 3) { sample in
      try sample.store.administrate(
        "ALTER TABLE \(sample.store.space).\"Mark\" ADD CHECK (name <> 'refused')"
      )
      let results = sample.save(["1", "2", "refused", "3"].map(sample.newMark))
      #expect(results.map { try? $0.get().version } == [2, 3, nil, 4])
      #expect(throws: DataStoreError.self) { try results[2].get() }
      #expect(try sample.names() == ["1", "2", "3"])
    }
  }

  @Test func `do not rely on numbers that another program took`() throws {
    try GroupSample.with(waiting: 3) { sample in
      let other = try PostgreSQLStore(sample.store.configuration)
      #expect(try other.apply(StoreChanges()).version == 2)
      let results = sample.save((0..<4).map { sample.newMark("\($0)") })
      #expect(try results.map { try $0.get().version } == [3, 4, 5, 6])
      #expect(try sample.transactions(after: 2) == 1)
      #expect(try other.apply(StoreChanges()).version == 7)
    }
  }

  @Test func `leave the first one its time if the server does not respond to another one`() throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try GroupSample.with(folder: proxy.folder.path, waiting: 2, timeout: .seconds(3)) { sample in
      _ = try sample.store.apply(sample.newBeacon("a", height: 1))
      let isDue = Mutex(true)
      proxy.set { direction, bytes in
        // The row that is deleted is read first.
        guard direction == .toServer,
          String(decoding: bytes, as: UTF8.self).contains("\"Beacon\""),
          isDue.withLock({ isDue in
            defer { isDue = false }
            return isDue
          })
        else { return .pass }
        return .swallow
      }
      let results = sample.save([sample.newMark("1"), sample.deletion(), sample.newMark("2")])
      #expect(!isDue.withLock { $0 })
      let versions = try results.map { try $0.get().version }
      #expect(versions == [3, 4, 5])
      let beacons = try sample.store.fetch(StoreQuery(entity: "Beacon"))
      #expect(beacons.isEmpty)
    }
  }

  @Test func `wait for each other until the timeout, and compute for any time`() throws {
    try GroupSample.with(waiting: 0) { sample in
      let store = try sample.opened(timeout: .milliseconds(500))
      let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let first = sample.newMark("1") {
        begun.signal()
        ended.wait()
        // The values may be read again.
        ended.signal()
      }
      let result = Mutex<Result<StoreChangesResult, any Error>?>(nil)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let saved = Result { try store.apply(first) }
        result.withLock { $0 = saved }
        done.signal()
      }
      begun.wait()
      #expect(throws: DataStoreError.storeBusy) { try store.apply(sample.newMark("2")) }
      ended.signal()
      done.wait()
      #expect(try result.withLock { try $0?.get() }?.version == 2)
      #expect(try store.apply(sample.newMark("3")).version == 3)
      #expect(try sample.names() == ["1", "3"])
    }
  }

  @Test func `wait for the server until the timeout, their reads and COMMIT together`() throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try GroupSample.with(folder: proxy.folder.path, waiting: 0) { sample in
      _ = try sample.store.apply(sample.newBeacon("a", height: 1))
      let store = try sample.opened(timeout: .seconds(4))
      let isFirst = Mutex(true)
      let isCommitted = Mutex(false)
      proxy.set { direction, bytes in
        if direction == .toServer {
          // Not that of READ COMMITTED.
          let text = String(decoding: bytes, as: UTF8.self)
          guard text.contains("COMMIT\0") else { return .pass }
          // A lock that the last statements wait for does not take all of the time that is left.
          let limit = text.firstMatch(of: /lock_timeout = ([0-9]+)/).flatMap { Int($0.1) }
          #expect(limit ?? .max <= 900)
          isCommitted.withLock { $0 = true }
          return .swallow
        }
        let isSlow = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if isSlow { usleep(3_000_000) }
        return .pass
      }
      let start = ContinuousClock.now
      let error = #expect(throws: DataStoreError.self) { try store.apply(sample.deletion()) }
      // COMMIT with a timeout of its own would take seven seconds.
      #expect(ContinuousClock.now - start < .seconds(6))
      // On a busy machine, the reads alone may take the whole time.
      #expect(error == (isCommitted.withLock { $0 } ? .outcomeUnknown : .notSaved))
      proxy.set { _, _ in .pass }
      #expect(try sample.store.fetch(StoreQuery(entity: "Beacon")).count == 1)
    }
  }

  @Test func `have an unknown outcome if the response to the commit is lost`() throws {
    let proxy = try FaultProxy(PrivateCluster.shared())
    defer { proxy.stop() }
    try GroupSample.with(folder: proxy.folder.path, waiting: 2) { sample in
      let isDue = Mutex(true)
      proxy.set { direction, bytes in
        guard direction == .toClient,
          String(decoding: bytes, as: UTF8.self).contains("COMMIT\0"),
          isDue.withLock({ isDue in
            defer { isDue = false }
            return isDue
          })
        else { return .pass }
        return .cut
      }
      let saves = (0..<3).map { sample.newMark("\($0)") }
      for (index, result) in sample.save(saves).enumerated() {
        #expect(throws: DataStoreError.outcomeUnknown) { try result.get() }
        let outcome = try sample.store.outcome(ofSave: saves[index].saveIdentifier)
        guard case .saved(let saved) = outcome else {
          Issue.record("the save must be reported as stored")
          continue
        }
        #expect(saved.version == Int64(index) + 2)
        #expect(saved.firstKeys == [Int64(index) + 1])
      }
      #expect(try sample.names() == ["0", "1", "2"])
    }
  }
}
