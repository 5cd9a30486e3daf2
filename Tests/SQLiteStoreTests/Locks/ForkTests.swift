import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A process forked while a store is open")
struct ForkTests {
  // In separate processes, because a child copies the state of all other threads.
  @Test func `cannot open the store again, and leaves its parent's store unchanged`() async throws {
    let sample = try OpenSample()
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      let open = { try SQLiteStore.inFile(path, busyTimeout: 0.5) }
      var store: SQLiteStore? = try open()
      try OpenSample.save(#require(store), "1")
      let status = try ForkedProcess.status {
        do {
          _ = try open()
          return 1
        } catch let error as DataStoreError {
          return error == .storeClosed && error.message.contains("exec") ? 0 : 2
        } catch {
          return 3
        }
      }
      #expect(status == 0)
      try OpenSample.save(#require(store), "2")
      store = nil
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
    #expect(try OpenSample.titles(sample.open()) == ["1", "2"])
  }

  @Test func `can open the store after it releases the inherited one`() async throws {
    let sample = try OpenSample()
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      let open = { try SQLiteStore.inFile(path, busyTimeout: 0.5) }
      var store: SQLiteStore? = try open()
      try OpenSample.save(#require(store), "1")
      let status = try ForkedProcess.status {
        do {
          store = nil
          let own = try open()
          try OpenSample.save(own, "2")
          return 0
        } catch {
          return 1
        }
      }
      #expect(status == 0)
      try OpenSample.save(#require(store), "3")
    }
    #expect(try OpenSample.titles(sample.open()) == ["1", "2", "3"])
  }

  @Test func `during a save does not keep the parent's lock`() async throws {
    let sample = try OpenSample()
    await #expect(processExitsWith: .success) { [path = sample.path as String] in
      let store = try SQLiteStore.inFile(path, busyTimeout: 0.5)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (reading, writing) = (ends[0], ends[1])
      try store.whileWriting {
        // Waits until the parent has continued.
        let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "fork"))
        if unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)() == 0 {
          alarm(60)
          close(writing)
          var byte: UInt8 = 0
          _ = read(reading, &byte, 1)
          _exit(0)
        }
      }
      try OpenSample.save(store, "1")
      close(writing)
    }
    #expect(try OpenSample.titles(sample.open()) == ["1"])
  }

  @Test func `while saves wait for each other refuses them in the child, which ends`() async throws
  {
    await #expect(processExitsWith: .success) {
      let sample = try GroupSample(waiting: 3)
      let saves = (0..<4).map { sample.newItem("\($0)") }
      let results = sample.run(4) { index in
        if index == 3 {
          // The child has neither the thread that makes the saves nor those that wait.
          let status = try ForkedProcess.status {
            ForkedProcess.accepted([
              { _ = try sample.store.apply(saves[3]) },
              { _ = try sample.store.count(StoreQuery(entity: "Item")) },
              { _ = try sample.store.outcome(ofSave: saves[1].saveIdentifier) },
            ]) {
              _ = sample.store.latestSave
              try sample.store.close()
            }
          }
          #expect(status == 0)
        }
        return try sample.store.apply(saves[index]).version
      }
      #expect(try results.map { try $0.get() } == [2, 3, 4, 5])
      #expect(try sample.titlesAfterKill() == ["before", "0", "1", "2", "3"])
    }
  }
}
