import Dispatch
import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Suite("A closed container") struct ClosingTests {
  @Test(arguments: [EveryStore.sqlite, .json])
  func `keeps what was saved, and refuses later operations`(_ store: EveryStore) throws {
    let fixture = try ContainerFixture.ofBooks(store)
    let container = try fixture.open()
    let context = ModelContext(container)
    context.insert(LifeBook.full())
    try context.save()
    let book = try #require(try context.all(LifeBook.self).first)
    try container.close()
    try container.close()
    #expect(throws: DataStoreError.storeClosed) { try context.all(LifeBook.self) }
    #expect(throws: DataStoreError.storeClosed) {
      try ModelContext(container).fetchCount(FetchDescriptor<LifeBook>())
    }
    book.title = "too late"
    #expect(throws: DataStoreError.storeClosed) { try context.save() }
    #expect(try fixture.context().all(LifeBook.self).map(\.title) == ["title"])
  }

  @Test(arguments: EveryStore.migrating)
  func `has run as a service until its task was canceled`(_ store: EveryStore) async throws {
    let fixture = try ContainerFixture.ofBooks(store)
    let container = try fixture.open()
    let service = Task { try await container.run() }
    try await container.performBackgroundTask { context in
      context.insert(LifeBook.full())
      try context.save()
    }
    service.cancel()
    try await service.value
    #expect(throws: DataStoreError.storeClosed) {
      try ModelContext(container).fetchCount(FetchDescriptor<LifeBook>())
    }
    #expect(try fixture.context().all(LifeBook.self).map(\.title) == ["title"])
  }

  @Test func `leaves only its own file`() throws {
    let fixture = try ContainerFixture.ofBooks(.sqlite)
    let container = try fixture.open()
    let context = ModelContext(container)
    context.insert(LifeBook.full())
    try context.save()
    _ = try context.all(LifeBook.self)
    try container.close()
    // The log was checkpointed, although the context still exists.
    let names = try fixture.folder.names()
    #expect(!names.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(names)")
    withExtendedLifetime(context) {}
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `loses no acknowledged save of many tasks`(_ store: EveryStore) async throws {
    let fixture = try ContainerFixture.ofBooks(store)
    let container = try fixture.open()
    let acknowledged = Acknowledged()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 1...8 {
        group.addTask {
          for number in 1...40 {
            let title = "\(task) \(number)"
            do {
              try await container.performBackgroundTask { context in
                context.insert(LifeBook(title, by: LifeAuthor("author")))
                try context.save()
              }
            } catch DataStoreError.storeClosed {
              return
            }
            let count = acknowledged.insert(title)
            if count == 60 { try container.close() }
          }
        }
      }
      try await group.waitForAll()
    }
    let stored = try fixture.context().all(LifeBook.self).map(\.title)
    let missing = acknowledged.titles.subtracting(stored)
    #expect(missing.isEmpty)
    #expect(stored.count < 320)
  }
}

/// The titles whose saves were acknowledged.
private final class Acknowledged: Sendable {
  private let all = Mutex<Set<String>>([])

  var titles: Set<String> { all.withLock { $0 } }

  /// Adds a title, and returns the number of titles.
  func insert(_ title: String) -> Int {
    all.withLock { titles in
      titles.insert(title)
      return titles.count
    }
  }
}

@Suite("Background tasks") struct BackgroundTaskTests {
  @Test func `save, and return values`() async throws {
    let container = try ContainerFixture.ofBooks(.memory).open()
    let title = try await container.performBackgroundTask { context in
      let book = LifeBook.full()
      context.insert(book)
      try context.save()
      return book.title
    }
    #expect(title == "title")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LifeBook>()) == 1)
  }

  @Test func `save a context that their caller has prepared`() async throws {
    let container = try ContainerFixture.ofBooks(.memory).open()
    let prepared = ModelContext(container)
    let book = LifeBook.full()
    prepared.insert(book)
    let id = try await container.performBackgroundTask { _ in
      try prepared.save()
      return book.persistentModelID
    }
    #expect(!id.isTemporary)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LifeBook>()) == 1)
  }

  @Test func `do not block Swift's threads while they wait`() async throws {
    let container = try ContainerFixture.ofBooks(.memory).open()
    let gate = DispatchSemaphore(value: 0)
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask { try await container.performBackgroundTask { _ in gate.wait() } }
      }
      // This would wait forever if the tasks above blocked all threads.
      for _ in 0..<count { await Task.detached { await Task.yield() }.value }
      for _ in 0..<count { gate.signal() }
      try await group.waitForAll()
    }
  }

  @Test func `rethrow the error of their body, and save nothing`() async throws {
    struct Refusal: Error {}
    let container = try ContainerFixture.ofBooks(.memory).open()
    await #expect(throws: Refusal.self) {
      try await container.performBackgroundTask { context in
        context.insert(LifeBook.full())
        throw Refusal()
      }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LifeBook>()) == 0)
  }

  @Test func `use the environment of their task`() async throws {
    let container = try ContainerFixture.ofBooks(.memory).open()
    let noon = Date(timeIntervalSince1970: 43_200)
    let seen = try await StoreEnvironment.$current.withValue(StoreEnvironment(now: { noon })) {
      try await container.performBackgroundTask { _ in StoreEnvironment.current.now() }
    }
    #expect(seen == noon)
  }
  @Test func `have the task-local values of their task`() async throws {
    let container = try ContainerFixture.ofBooks(.memory).open()
    let seen = try await Span.$current.withValue("request") {
      try await container.performBackgroundTask { _ in Span.current }
    }
    #expect(seen == "request")
    #expect(try await container.performBackgroundTask { _ in Span.current } == "none")
  }

  @Test func `do not begin if their task was canceled`() async throws {
    let container = try ContainerFixture.ofBooks(.memory).open()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await container.performBackgroundTask { _ in true }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// A task-local value, as tracers have one.
private enum Span {
  @TaskLocal static var current = "none"
}
