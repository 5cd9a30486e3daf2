import Foundation
import StoreProtocol
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("A killed process")
struct CrashTests {
  /// Saves batches of ten rows and records how many were acknowledged.
  private static func save(_ path: String, dyingAtStep step: Int) throws {
    let log = StatementLog { number in
      if number == step { kill(getpid(), SIGKILL) }
    }
    let store = try SQLiteStore.inFile(path, log: log)
    for batch in 1...8 {
      let trips = (0..<5).map { number in
        DefaultSnapshot.new(
          SampleSchema.trip,
          ["name": .string("\(batch).\(number)"), "days": .integer(Int64(batch))]
        )
      }
      let items = trips.map { trip in
        DefaultSnapshot.new(
          SampleSchema.item,
          ["trip": .identifier(trip.persistentIdentifier)]
        )
      }
      try store.insert(trips + items)
      try Data([UInt8(batch)]).write(to: URL(filePath: path + ".acknowledged"))
    }
    kill(getpid(), SIGKILL)
  }

  private func checkWholeBatches(_ path: String) throws {
    let acknowledged = (try? Data(contentsOf: URL(filePath: path + ".acknowledged")))?.first ?? 0
    let store = try SQLiteStore.inFile(path)
    let trips = try store.count(StoreQuery(entity: "Trip"))
    let items = try store.fetch(StoreQuery(entity: "Item"))
    #expect(trips % 5 == 0)
    #expect(trips / 5 == Int(acknowledged) || trips / 5 == Int(acknowledged) + 1)
    #expect(items.count == trips)
    #expect(items.allSatisfy { $0["trip"] != .null })
    #expect(try store.text("PRAGMA integrity_check") == "ok")
    let next = try store.insert([.new(SampleSchema.item)])
    #expect(next[0].integerKey == Int64(trips + items.count + 1))
  }

  @Test func `leaves only whole saves, including every acknowledged one`() async throws {
    for step in [1, 20, 47, 60, 75, 90, 131, 200, 10_000] {
      let folder = try TemporaryFolder()
      let path = folder.path("a.db")
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, step = step as Int] in
        try Self.save(path, dyingAtStep: step)
      }
      try checkWholeBatches(path)
    }
  }
}

@Suite("Concurrent stores of one file")
struct ConcurrencyTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  @Test func `lose no saves and read only whole saves`() async throws {
    _ = try SQLiteStore.inFile(path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 {
        group.addTask { [path] in
          let store = try SQLiteStore.inFile(path, busyTimeout: 60)
          for round in 0..<20 {
            try store.insert(
              (0..<4).map { number in
                .new(SampleSchema.item, ["title": .string("\(writer).\(round).\(number)")])
              }
            )
          }
        }
      }
      group.addTask { [path] in
        let store = try SQLiteStore.inFile(path, busyTimeout: 60)
        for _ in 0..<40 {
          let count = try store.count(StoreQuery(entity: "Item"))
          #expect(count % 4 == 0)
        }
      }
      try await group.waitForAll()
    }
    let store = try SQLiteStore.inFile(path)
    let keys = try store.identifiers(StoreQuery(entity: "Item")).map(\.integerKey)
    #expect(keys == (1...240).map { $0 })
  }

  /// Both have claimed the file when the first of them gets the lock, and neither has a connection.
  @Test func `can open a closed store at the same time`() throws {
    for _ in 0..<10 {
      _ = try SQLiteStore.inFile(path)
      var lock: AnyObject? = try DatabaseFile(path: path, makesFolder: false, patience: 0).lock(
        waiting: 0
      )
      let results = Mutex<[Result<Void, any Error>]>([])
      let ended = DispatchSemaphore(value: 0)
      for _ in 0..<2 {
        // Threads of their own: both block.
        Thread.detachNewThread { [path] in
          let result = Result { try SQLiteStore.inFile(path, busyTimeout: 5).insertItem() }
          results.withLock { $0.append(result) }
          ended.signal()
        }
      }
      usleep(50_000)
      withExtendedLifetime(lock) {}
      lock = nil
      for _ in 0..<2 { ended.wait() }
      for result in results.withLock(\.self) { try result.get() }
    }
    #expect(try SQLiteStore.inFile(path).count(StoreQuery(entity: "Item")) == 20)
  }

  @Test func `can read within a read`() throws {
    let store = try SQLiteStore.inFile(path)
    let memory = try SQLiteStore.inMemory()
    for store in [store, memory] {
      try store.insert((0..<3).map { _ in .new(SampleSchema.item) })
      var pairs = 0
      try store.read(StoreQuery(entity: "Item")) { _ in
        try store.read(StoreQuery(entity: "Item")) { _ in pairs += 1 }
      }
      #expect(pairs == 9)
    }
  }

  @Test func `do not change the state of a long read`() throws {
    let store = try SQLiteStore.inFile(path)
    try store.insert((0..<3).map { _ in .new(SampleSchema.item) })
    var read = 0
    try store.read(StoreQuery(entity: "Item")) { _ in
      read += 1
      try store.insert([.new(SampleSchema.item)])
    }
    #expect(read == 3)
    #expect(try store.count(StoreQuery(entity: "Item")) == 6)
  }

  @Test func `limit the length of the log`() throws {
    let store = try SQLiteStore.inFile(path)
    let title = StoreValue.string(String(repeating: "x", count: 400_000))
    for _ in 0..<30 { try store.insert([.new(SampleSchema.item, ["title": title])]) }
    #expect(try logSize() < (Database.longestLog + 200) * 4_200)
  }

  @Test func `write over a checkpointed log unless it was long`() throws {
    let store = try SQLiteStore.inFile(path)
    let insert = { (pages: Int) in
      let data = StoreValue.data(Data(count: pages * 4_096))
      try store.insert([.new(SampleSchema.values, ["data": data])])
    }
    var sizes: [Int] = []
    for _ in 0..<30 {
      try insert(100)
      sizes.append(try logSize())
    }
    #expect(sizes == sizes.sorted())
    #expect(Set(sizes).count < 15)
    try insert(Database.longestKeptLog + 100)
    #expect(try logSize() == 0)
    #expect(try store.count(StoreQuery(entity: SampleSchema.values.name)) == 31)
  }

  private func logSize() throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return try #require(attributes[.size] as? Int)
  }
}

@Suite("A save that fails")
struct SaveFaultTests {
  @Test func `stores nothing, and succeeds after the fault has ended`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    let store = try SQLiteStore.inFile(path)
    try store.insert([.new(SampleSchema.item)])
    try store.database.write { connection in
      let pages = try #require(try connection.integer("PRAGMA page_count"))
      _ = try connection.integer("PRAGMA max_page_count = \(pages + 2)")
    }
    let big = DefaultSnapshot.new(
      SampleSchema.item,
      ["title": .string(String(repeating: "x", count: 100_000))]
    )
    let error = #expect(throws: DataStoreError.self) { try store.insert([big]) }
    #expect(error == .notSaved)
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
    // The full disk spoiled the connection: the next save has a new one, without the limit.
    try store.insert([big])
    #expect(try store.count(StoreQuery(entity: "Item")) == 2)
  }
}

extension SQLiteStore {
  fileprivate func insertItem() throws {
    try insert([.new(SampleSchema.item)])
  }
}
