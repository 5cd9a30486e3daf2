import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite struct JSONFileStoreConcurrencyTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test func `concurrent saves lose nothing, and reads see only complete saves`() async throws {
    let store = try fixture.open(durability: .relaxed)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            try store.insert(
              newRow(["name": .string("\(writer)/\(number)/a")]),
              newRow(["name": .string("\(writer)/\(number)/b")])
            )
          }
        }
        group.addTask {
          for _ in 0..<25 {
            let count = try store.all().count
            #expect(count.isMultiple(of: 2))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.count(StoreQuery(entity: "Item")) == 200)
    #expect(try fixture.copy().open(durability: .relaxed).content() == store.content())
  }

  @Test func `a read continues with the rows that it began with`() throws {
    let store = try fixture.open()
    let saved = try store.insert(newRow(["name": .string("a")]), newRow(["name": .string("b")]))
    var seen: [String] = []
    try store.read(StoreQuery(entity: "Item")) { reader in
      try store.delete(saved[0], saved[1])
      try store.insert(newRow(["name": .string("c")]))
      seen.append(try reader.string(at: try #require(reader.entity.indexByName["name"])))
    }
    #expect(seen == ["a", "b"])
    #expect(try store.names() == ["string(\"c\")"])
  }
}
