import Foundation
import OpenSwiftData
import Synchronization
import Testing

@Model private final class Desk {
  var number: Int

  init(number: Int) { self.number = number }
}

/// A task-local value, as tracers have one.
private enum Span {
  @TaskLocal static var current = "none"
}

@Suite("ModelContainerCache")
struct ModelContainerCacheTests {
  private struct Refused: Error {}

  private let schema = Schema([Desk.self])

  private func cache(
    limit: Int,
    _ opened: @escaping @Sendable (String) throws -> Void = { _ in }
  ) -> ModelContainerCache {
    ModelContainerCache(for: schema, limit: limit) { name in
      try opened(name)
      return MemoryStoreConfiguration()
    }
  }

  @Test func `many threads open a store only once`() throws {
    let openings = Atomic(0)
    let callers = Atomic(0)
    let cache = cache(limit: 3) { _ in
      openings.add(1, ordering: .relaxed)
      while callers.load(ordering: .relaxed) < 8 { usleep(1_000) }
      usleep(2_000)
    }
    let found = Mutex<[ModelContainer]>([])
    let isDone = DispatchSemaphore(value: 0)
    for _ in 0..<8 {
      Thread.detachNewThread {
        callers.add(1, ordering: .relaxed)
        let container = try? cache.container(named: "a")
        found.withLock { $0 += container.map { [$0] } ?? [] }
        isDone.signal()
      }
    }
    for _ in 0..<8 { isDone.wait() }
    let all = found.withLock { $0 }
    #expect(all.count == 8)
    #expect(all.allSatisfy { $0 == all[0] })
    #expect(openings.load(ordering: .relaxed) == 1)
  }

  @Test func `many tasks open a store only once`() async throws {
    let openings = Atomic(0)
    let cache = cache(limit: 3) { _ in openings.add(1, ordering: .relaxed) }
    let first = try await cache.container(named: "a")
    let all = try await withThrowingTaskGroup(of: ModelContainer.self) { group in
      for _ in 0..<40 { group.addTask { try await cache.container(named: "a") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(all.count == 40)
    #expect(all.allSatisfy { $0 == first })
    #expect(openings.load(ordering: .relaxed) == 1)
  }

  @Test func `opens a store with the task-local values of its task`() async throws {
    let seen = Mutex("")
    let cache = cache(limit: 1) { _ in seen.withLock { $0 = Span.current } }
    _ = try await Span.$current.withValue("request") { try await cache.container(named: "a") }
    #expect(seen.withLock { $0 } == "request")
  }

  @Test func `only the most recently used containers are retained`() throws {
    let cache = cache(limit: 2)
    weak var first: ModelContainer?
    first = try cache.container(named: "a")
    weak var second: ModelContainer?
    second = try cache.container(named: "b")
    _ = try cache.container(named: "a")
    _ = try cache.container(named: "c")
    #expect(first != nil)
    #expect(second == nil)
  }

  @Test func `a container in use is returned again after others were used`() throws {
    let cache = cache(limit: 1)
    let first = try cache.container(named: "a")
    for name in ["b", "c"] { _ = try cache.container(named: name) }
    #expect(try cache.container(named: "a") == first)
    // It is retained again, so that the limit holds.
    weak var third: ModelContainer?
    third = try cache.container(named: "d")
    weak var fourth: ModelContainer?
    fourth = try cache.container(named: "e")
    #expect(third == nil)
    #expect(fourth != nil)
  }

  @Test func `a store that could not be opened is opened again`() throws {
    let fails = Atomic(true)
    let cache = cache(limit: 1) { _ in
      if fails.load(ordering: .relaxed) { throw Refused() }
    }
    #expect(throws: Refused.self) { try cache.container(named: "a") }
    fails.store(false, ordering: .relaxed)
    _ = try cache.container(named: "a")
  }
}
