import Foundation
import ModelLayer
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreProtocol
import Synchronization
import Testing

@testable import PostgreSQLStore

/// Stores that are closed, and connections that other processes must not use.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  ),
  .timeLimit(.minutes(30))
)
struct `Closing PostgreSQL stores` {
  private func withStore(
    _ body: (PostgreSQLStore, PostgreSQLStoreConfiguration) throws -> Void
  ) throws {
    let fixture = SchemaFixture()
    let location = try fixture.makeLocation()
    defer { try? fixture.destroy(location) }
    let schema = Schema(
      storeSchema: StoreSchema(entities: [
        StoreEntity(
          name: "Trip",
          properties: [StoreProperty(name: "name", kind: .attribute(.string), isOptional: true)]
        )
      ])
    )
    try body(fixture.open(location, schema: schema), location)
  }

  /// Whether requests of other threads are refused.
  private func isClosed(_ store: PostgreSQLStore) -> Bool {
    let isRefused = Mutex(false)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        _ = try store.count(StoreQuery(entity: "Trip"))
      } catch DataStoreError.storeClosed {
        isRefused.withLock { $0 = true }
      } catch {}
      done.signal()
    }
    done.wait()
    return isRefused.withLock { $0 }
  }

  @Test func `a closed store throws storeClosed, after the requests in progress`() throws {
    try withStore { store, configuration in
      let query = StoreQuery(entity: "Trip")
      let events = Mutex<[String]>([])
      let (begun, closed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      try store.readingOneState {
        let before = try store.count(query)
        #expect(before == 0)
        Thread.detachNewThread {
          begun.signal()
          try? store.close()
          events.withLock { $0.append("closed") }
          closed.signal()
        }
        begun.wait()
        // Until the other thread has begun to close the store.
        while !isClosed(store) { sched_yield() }
        let during = try store.count(query)
        #expect(during == 0)
        events.withLock { $0.append("read") }
      }
      closed.wait()
      #expect(events.withLock { $0 } == ["read", "closed"])
      try store.close()
      #expect(throws: DataStoreError.storeClosed) { try store.count(query) }
      #expect(throws: DataStoreError.storeClosed) { try store.fetch(query) }
      #expect(throws: DataStoreError.storeClosed) { _ = try store.apply(StoreChanges()) }
      #expect(throws: DataStoreError.storeClosed) { try store.readingOneState {} }
      #expect(throws: DataStoreError.storeClosed) { _ = try store.watch() }
      let other = try PostgreSQLStore(configuration)
      #expect(try other.count(query) == 0)
    }
  }

  @Test func `a closed container throws storeClosed`() throws {
    let fixture = SchemaFixture()
    let location = try fixture.makeLocation()
    defer { try? fixture.destroy(location) }
    let container = try ModelContainer(for: Harbor.self, Ferry.self, configurations: location)
    let context = ModelContext(container)
    let harbor = Harbor(name: "a")
    context.insert(harbor)
    try context.save()
    try container.close()
    harbor.name = "b"
    #expect(throws: DataStoreError.storeClosed) { try context.save() }
    #expect(throws: DataStoreError.storeClosed) {
      try ModelContext(container).fetch(FetchDescriptor<Harbor>())
    }
    let again = try ModelContainer(for: Harbor.self, Ferry.self, configurations: location)
    #expect(try ModelContext(again).fetch(FetchDescriptor<Harbor>()).map(\.name) == ["a"])
  }

  @Test func `programs that this one starts inherit no connection`() throws {
    let folder = try PrivateCluster.shared().folder
    try withStore { store, _ in
      let watch = try #require(try store.watch() as? SaveWatch)
      watch.onPossibleSave {}
      #expect(watch.isListening)
      var count = 0
      for descriptor: Int32 in 0..<1024 {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let found = withUnsafeMutablePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            getpeername(descriptor, $0, &size)
          }
        }
        let path = withUnsafeBytes(of: &address.sun_path) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard found == 0, path.hasPrefix(folder.path) else { continue }
        count += 1
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(descriptor)")
      }
      // The connection that listens, its copy, and one of the pool.
      #expect(count >= 3)
    }
  }

  @Test func `a store that a child inherits is closed there, and not for the parent`() throws {
    try withStore { store, configuration in
      let query = StoreQuery(entity: "Trip")
      func code(_ body: () throws -> Void) -> DataStoreError? {
        do { try body() } catch let error as DataStoreError { return error } catch {}
        return nil
      }
      #expect(try store.count(query) == 0)
      #expect(code { _ = try store.count(StoreQuery(entity: "Nothing")) } != nil)
      let watch = try #require(try store.watch())
      let numbers = try ForkedChild.numbers(3) {
        guard code({ _ = try store.count(query) }) == .storeClosed else { return 1 }
        guard code({ _ = try store.apply(StoreChanges()) }) == .storeClosed else { return 2 }
        guard code({ _ = try watch.newSaves() }) == .storeClosed else { return 3 }
        return 0
      }
      #expect(numbers == [0, 0, 0])
      #expect(try store.count(query) == 0)
      #expect(try watch.newSaves() == nil)
    }
  }
}
