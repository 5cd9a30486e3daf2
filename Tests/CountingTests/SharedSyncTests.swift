import Foundation
import OpenSwiftData
import SQLiteTestSupport
import StoreTestSupport
import Testing

@testable import JSONFileStore
@testable import SQLiteStore

@Model private final class Order {
  var number: Int

  init(_ number: Int) { self.number = number }
}

/// Sixteen tasks of a service that save an object each, again and again, on a disk with slow syncs.
@Suite("Saves of background tasks on a disk that syncs in 5 ms")
struct SharedSyncTests {
  private static let tasks = 16
  private static let saves = 10
  private static let syncTime = 0.005

  private func save(in container: ModelContainer) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<Self.tasks {
        group.addTask {
          for number in 0..<Self.saves {
            try await container.performBackgroundTask { context in
              context.insert(Order(task * Self.saves + number))
              try context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let numbers = try ModelContext(container).fetch(FetchDescriptor<Order>()).map(\.number)
    #expect(numbers.sorted() == Array(0..<Self.tasks * Self.saves))
  }

  // 16 saves in turn take 10 or 11 syncs, each alone 160. The bound leaves room for a machine on
  // which other work keeps the tasks apart.
  @Test func `share the syncs of a SQLite store`() async throws {
    let folder = try TemporaryFolder()
    let files = try FaultyFiles(syncTime: Self.syncTime)
    var configuration = SQLiteStoreConfiguration(url: folder.file("orders.db"))
    configuration.fileSystem = files.name
    let container = try ModelContainer(for: Order.self, configurations: configuration)
    files.reset()
    try await save(in: container)
    let syncs = files.calls.count { $0.kind == .sync && $0.role == .log }
    #expect((Self.saves...4 * Self.saves).contains(syncs))
  }

  @Test func `share the syncs of a JSON store`() async throws {
    let folder = try TemporaryFolder()
    let access = FaultyFileAccess(syncTime: Self.syncTime)
    var configuration = JSONFileStoreConfiguration(url: folder.file("orders.json"))
    configuration.access = access
    let container = try ModelContainer(for: Order.self, configurations: configuration)
    access.reset()
    try await save(in: container)
    let syncs = access.calls.count { $0 == .sync }
    #expect((Self.saves...4 * Self.saves).contains(syncs))
  }
}
