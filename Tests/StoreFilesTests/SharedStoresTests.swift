import Foundation
import Synchronization
import Testing

@testable import StoreFiles

@Suite struct SharedStoresTests {
  final class Store: Sendable {}

  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }
  let stores = SharedStores<Store>()

  @Test func `one file has one store, for each path to its folder`() throws {
    let link = temporary.path + "-link"
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: temporary.path
    )
    defer { try? FileManager.default.removeItem(atPath: link) }
    let first = try stores.store("a", in: temporary.folder()) { Store() }
    let second = try stores.store("a", in: Folder(path: link)) { Store() }
    #expect(first === second)
  }

  @Test func `another name has another store`() throws {
    let folder = try temporary.folder()
    let first = try stores.store("a", in: folder) { Store() }
    #expect(try stores.store("b", in: folder) { Store() } !== first)
  }

  @Test func `a store without references is opened again`() throws {
    let folder = try temporary.folder()
    var opened = 0
    for _ in 0..<2 {
      _ = try stores.store("a", in: folder) {
        opened += 1
        return Store()
      }
    }
    #expect(opened == 2)
  }

  @Test func `a store that cannot be shared is replaced`() throws {
    let folder = try temporary.folder()
    let first = try stores.store("a", in: folder) { Store() }
    let second = try stores.store("a", in: folder, isUsable: { _ in false }) { Store() }
    #expect(first !== second)
    #expect(try stores.store("a", in: folder) { Store() } === second)
  }

  @Test func `another file can be opened during an opening`() throws {
    let folder = try temporary.folder()
    // A registry with one lock for all files would deadlock here.
    let first = try stores.store("a", in: folder) {
      let other = try stores.store("b", in: folder) { Store() }
      #expect(try stores.store("b", in: folder) { Store() } === other)
      return Store()
    }
    #expect(try stores.store("a", in: folder) { Store() } === first)
  }

  @Test func `concurrent requests open a file once`() throws {
    let (folder, openings, stores) = (try temporary.folder(), Openings(), stores)
    for round in 1...50 {
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        let store = try? stores.store("a", in: folder) {
          openings.count.add(1, ordering: .relaxed)
          return Store()
        }
        openings.found.withLock { $0.append(store) }
      }
      let found = openings.found.withLock { found in
        defer { found = [] }
        return found.compactMap { $0 }
      }
      #expect(found.count == 8 && found.allSatisfy { $0 === found[0] })
      #expect(openings.count.load(ordering: .relaxed) == round)
    }
  }

  private final class Openings: Sendable {
    let count = Atomic(0)
    let found = Mutex<[Store?]>([])
  }

  @Test func `a failed opening leaves no store`() throws {
    let folder = try temporary.folder()
    #expect(throws: CancellationError.self) {
      try stores.store("a", in: folder) { throw CancellationError() }
    }
    var opened = 0
    let store = try stores.store("a", in: folder) {
      opened += 1
      return Store()
    }
    #expect(opened == 1)
    #expect(try stores.store("a", in: folder) { Store() } === store)
  }
}
