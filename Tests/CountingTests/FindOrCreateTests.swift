import ComposableStores
import Foundation
import MemoryStore
import OpenSwiftData
import Testing

@Model private final class Entry {
  @Attribute(.unique) var key: String
  var number: Int

  init(_ key: String, _ number: Int) {
    self.key = key
    self.number = number
  }
}

@Suite("A fetch with unsaved new objects that have unique values")
struct FindOrCreateTests {
  private let counter = StoreCounter()
  private let context: ModelContext

  init() throws {
    let configuration = MemoryStoreConfiguration().counted(by: counter)
    context = ModelContext(try ModelContainer(for: Entry.self, configurations: configuration))
    context.autosaveEnabled = false
    for number in 0..<5 { context.insert(Entry("stored \(number)", number)) }
    try context.save()
  }

  private func find(_ key: String) throws -> Entry? {
    try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.key == key })).first
  }

  /// Returns the numbers of requests of a body with few and with many new objects.
  private func requests(_ body: () throws -> Void) throws -> [Int] {
    try [10, 300].map { count in
      for number in 0..<count { context.insert(Entry("new \(number)", -number)) }
      // It will replace a row.
      context.insert(Entry("stored 1", 1_000))
      defer { context.rollback() }
      return try counter.count(body).requests
    }
  }

  @Test func `needs one request for values that no new object has`() throws {
    var found: [Int] = []
    let requests = try requests {
      if try find("absent") != nil { found.append(-1) }
      found += [try find("stored 3")?.number ?? -1]
    }
    #expect(requests == [2, 2])
    #expect(found == [3, 3])
  }

  @Test func `needs another request for the row that a result will replace`() throws {
    var found: [Int?] = []
    let requests = try requests {
      found += [try find("stored 1")?.number, try find("new 7")?.number]
    }
    #expect(requests == [4, 4])
    #expect(found == [1_000, -7, 1_000, -7])
  }

  @Test func `needs two requests for a window and for a count`() throws {
    var window = FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    window.fetchLimit = 3
    var found: [[Int]] = []
    let requests = try requests {
      found.append(try context.fetch(window).map(\.number))
      found.append([try context.fetchCount(FetchDescriptor<Entry>())])
    }
    #expect(requests == [4, 4])
    #expect(found == [[1_000, 4, 3], [15], [1_000, 4, 3], [305]])
  }

  @Test func `finds the row of a value, however many are new`() throws {
    let keys = ["new 3", "stored 2", "stored 4"]
    var some = FetchDescriptor<Entry>(predicate: #Predicate { keys.contains($0.key) })
    some.propertiesToFetch = [\.number]
    var found: [Set<Int>] = []
    let requests = try requests {
      context.insert(Entry("stored 2", 2_000))
      found.append(Set(try context.fetch(some).map(\.number)))
    }
    #expect(requests == [2, 2])
    #expect(found == [[-3, 2_000, 4], [-3, 2_000, 4]])
  }
}
