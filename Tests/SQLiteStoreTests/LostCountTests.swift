import Foundation
import StoreHelpers
import StoreProtocol
import Testing

@testable import SQLiteStore

/// Counts that another program takes out of the file while the store is open.
@Suite("A store that has lost count")
struct LostCountTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try store.insert([.new(SampleSchema.item, ["title": .string("kept")])])
  }

  /// Takes a count away, expects that the store says so, and that it goes on with the count.
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
    #expect(error.code == .storeDamaged)
    #expect(error.message.contains(message), "\(error)")
    #expect(try store.fetch(StoreQuery(entity: "Item")).map { $0["title"] } == [.string("kept")])
    try folder.run("INSERT INTO OpenSwiftData VALUES ('\(key)', \(value))")
    #expect(try store.insert([.new(SampleSchema.item)]).map(\.integerKey) == [2])
    #expect(try store.verify() == [])
  }

  @Test func `of its keys saves no new row`() throws {
    try expectLoss(of: "nextKey", "key counter is missing or invalid") {
      try $0.insert([.new(SampleSchema.item)])
    }
  }

  @Test func `of its keys gives none to a program's own statements`() throws {
    try expectLoss(of: "nextKey", "key counter is missing or invalid") {
      try $0.withWritableConnection { _ = try $0.newKey() }
    }
  }

  @Test func `of its saves saves nothing`() throws {
    try expectLoss(of: "saves", "save counter is missing or invalid") {
      try $0.insert([.new(SampleSchema.item)])
    }
  }

  @Test func `of its saves keeps nothing of a program's own statements`() throws {
    try expectLoss(of: "saves", "save counter is missing or invalid") {
      try $0.withWritableConnection { _ = try $0.execute("UPDATE Item SET title = 'lost'") }
    }
  }

  @Test func `of its saves erases nothing`() throws {
    try expectLoss(of: "saves", "save counter is missing or invalid") { try $0.erase() }
  }

  @Test func `of its saves has none to watch`() throws {
    let watch = try store.watchSaves()
    try expectLoss(of: "saves", "save counter is missing or invalid") { _ in
      _ = try watch.newSaves()
    }
  }

  @Test func `of where its history begins tells none`() throws {
    try expectLoss(of: "historyCut", "no valid start of its history") {
      _ = try $0.historyBounds()
    }
  }
}

/// A file that somebody made with numbers which can be read and not be counted further.
@Suite("A store whose counts have come to their end")
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
    #expect(error.code == .notSaved)
    #expect("\(error)".contains("\(name) has reached its limit"), "\(error)")
  }

  @Test func `of its keys takes no new row, and changes of old ones`() throws {
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

  @Test func `of its saves takes no save`() throws {
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
