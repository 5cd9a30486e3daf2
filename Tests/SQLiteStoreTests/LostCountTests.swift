import Foundation
import SQLiteStore
import StoreHelpers
import StoreProtocol
import Testing

/// Another program deletes counters from the file while the store is open.
@Suite("A store without its counter")
struct LostCountTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try store.insert([.new(SampleSchema.item, ["title": .string("kept")])])
  }

  /// Deletes a counter, expects the error, and expects that the store works with the counter again.
  private func expectLoss(
    of key: String,
    _ message: String,
    _ body: (SQLiteStore) throws -> Void
  ) throws {
    let value = try #require(
      try folder.text("SELECT value FROM OpenSwiftData WHERE key = '\(key)'")
    )
    try folder.run("DELETE FROM OpenSwiftData WHERE key = '\(key)'")
    let error = try #require(throws: DataStoreError.self) { try body(store) }
    #expect(error == .storeDamaged)
    #expect(error.message.contains(message), "\(error)")
    #expect(try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] } == [.string("kept")])
    try folder.run("INSERT INTO OpenSwiftData VALUES ('\(key)', \(value))")
    #expect(try store.insert([.new(SampleSchema.item)]).map(\.integerKey) == [2])
    #expect(try store.verify() == [])
  }

  @Test func `of keys saves no new row`() throws {
    try expectLoss(of: "nextKey", "key counter is missing or invalid") {
      try $0.insert([.new(SampleSchema.item)])
    }
  }

  @Test func `of keys provides no key to the program's statements`() throws {
    try expectLoss(of: "nextKey", "key counter is missing or invalid") {
      try $0.withWritableConnection { _ = try $0.newKey() }
    }
  }

  @Test func `of saves stores no changes`() throws {
    try expectLoss(of: "saves", "save counter is missing or invalid") {
      try $0.insert([.new(SampleSchema.item)])
    }
  }

  @Test func `of saves discards the changes of the program's statements`() throws {
    try expectLoss(of: "saves", "save counter is missing or invalid") {
      try $0.withWritableConnection { _ = try $0.execute("UPDATE Item SET title = 'lost'") }
    }
  }

  @Test func `of saves cannot be erased`() throws {
    try expectLoss(of: "saves", "save counter is missing or invalid") { try $0.erase() }
  }

  @Test func `of saves reports an error to a watch`() throws {
    let watch = try #require(try store.watch())
    try expectLoss(of: "saves", "save counter is missing or invalid") { _ in
      _ = try watch.newSaves()
    }
  }

  @Test func `of the history's start has no history bounds`() throws {
    try expectLoss(of: "historyCut", "no valid start of its history") {
      _ = try $0.historyBounds()
    }
  }
}

/// A file with numbers that can be read, but not incremented.
@Suite("A store whose counter has reached its limit")
struct CountsAtTheirEndTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try SQLiteStore.inFile(folder.path("a.db"))
      .insert([.new(SampleSchema.item, ["title": .string("kept")])])
  }

  private func set(_ key: String, to number: Int64) throws {
    try folder.run("UPDATE OpenSwiftData SET value = \(number) WHERE key = '\(key)'")
  }

  private func expectEnd(_ name: String, _ body: () throws -> Void) throws {
    let error = try #require(throws: DataStoreError.self) { try body() }
    #expect(error == .notSaved)
    #expect("\(error)".contains("\(name) has reached its limit"), "\(error)")
  }

  @Test func `accepts changes of stored rows, but no new row, without further keys`() throws {
    try set("nextKey", to: StoreNumbers.greatest - 1)
    let last = try SQLiteStore.inFile(folder.path("a.db")).insert([.new(SampleSchema.item)])
    #expect(last.map(\.integerKey) == [StoreNumbers.greatest - 1])
    let store = try SQLiteStore.inFile(folder.path("a.db"))
    try expectEnd("keys") { try store.insert([.new(SampleSchema.item)]) }
    try expectEnd("keys") { try store.withWritableConnection { _ = try $0.newKey() } }
    _ = try store.apply(
      StoreChanges(updated: [.change(last[0], SampleSchema.item, ["title": .string("changed")])])
    )
    let titles = try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] }
    #expect(titles == [.string("kept"), .string("changed")])
    #expect(try store.verify() == [])
  }

  @Test func `accepts no saves without further save numbers`() throws {
    try set("saves", to: StoreNumbers.greatest)
    let store = try SQLiteStore.inFile(folder.path("a.db"))
    try expectEnd("saves") { try store.insert([.new(SampleSchema.item)]) }
    try expectEnd("saves") { try store.erase() }
    try expectEnd("saves") {
      try store.withWritableConnection { _ = try $0.execute("UPDATE Item SET title = 'lost'") }
    }
    let titles = try SQLiteStore.inFile(folder.path("a.db")).fetch(StoreQuery(entity: "Item"))
      .map { $0["title"] }
    #expect(titles == [.string("kept")])
  }
}
