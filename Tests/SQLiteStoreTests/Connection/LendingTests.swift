import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("The connection with which a store was opened")
struct LendingTests {
  private let sample: OpenSample

  init() throws {
    sample = try OpenSample()
    try OpenSample.save(sample.open(), "first")
  }

  private func reader(_ store: SQLiteStore) throws -> ObjectIdentifier {
    try store.database.read { ObjectIdentifier($0) }
  }

  private func writer(_ store: SQLiteStore) -> ObjectIdentifier {
    store.database.writer.withConnection { ObjectIdentifier($0) }
  }

  @Test func `reads until the first save, and then writes only`() throws {
    let store = try sample.open()
    let opened = writer(store)
    #expect(try OpenSample.titles(store) == ["first"])
    #expect(try reader(store) == opened)
    try OpenSample.save(store, "second")
    #expect(writer(store) == opened)
    #expect(try reader(store) != opened)
    #expect(try OpenSample.titles(store) == ["first", "second"])
    #expect(try sample.titlesAfterKill() == ["first", "second"])
  }

  @Test func `reads no more if the store saved first`() throws {
    let store = try sample.open()
    try OpenSample.save(store, "second")
    #expect(try reader(store) != writer(store))
  }

  @Test func `cannot write while it reads`() throws {
    let store = try sample.open()
    for isSaved in [false, true] {
      if isSaved { try OpenSample.save(store, "second") }
      #expect(throws: DataStoreError.self) {
        try store.database.read { try $0.execute("DELETE FROM \"Item\"") }
      }
    }
    #expect(try OpenSample.titles(store) == ["first", "second"])
  }

  @Test func `goes on reading if a save comes meanwhile`() throws {
    let store = try sample.open()
    let opened = writer(store)
    var titles: [[String]] = []
    try store.database.readSnapshot { connection in
      #expect(ObjectIdentifier(connection) == opened)
      #expect(try connection.integer("SELECT count(*) FROM \"Item\"") == 1)
      try OpenSample.save(store, "second")
      #expect(writer(store) != opened)
      titles.append(try OpenSample.titles(store))
      #expect(try connection.integer("SELECT count(*) FROM \"Item\"") == 1)
    }
    titles.append(try OpenSample.titles(store))
    #expect(titles == [["first", "second"], ["first", "second"]])
    try OpenSample.save(store, "third")
    try store.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.url.path)
    #expect(names.sorted() == ["a.db", "a.db.lock"])
  }

  @Test(arguments: [1, 12])
  func `removes the log of another program's save at the end`(readers: Int) throws {
    let store = try sample.open()
    func read(_ depth: Int) throws {
      try store.database.read { _ in if depth > 1 { try read(depth - 1) } }
    }
    try read(readers)
    try OtherProgram.run(sample.path, "UPDATE \"Item\" SET title = 'other'")
    #expect(FileManager.default.fileExists(atPath: sample.log))
    try store.close()
    #expect(!FileManager.default.fileExists(atPath: sample.log))
    #expect(try OpenSample.titles(sample.open()) == ["other"])
  }

  @Test func `is checked before its first read`() throws {
    let store = try sample.open()
    try FileManager.default.removeItem(atPath: sample.path)
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.titles(store) }
    #expect(throws: DataStoreError.storeReplaced) { try OpenSample.titles(store) }
  }
}

@Suite("The schemas of files")
struct StoredSchemaTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens a store of one entity with one string of a name.
  private func open(_ name: String, _ path: String) throws -> SQLiteStore {
    let property = StoreProperty(name: name, kind: .attribute(.string))
    let schema = StoreSchema(entities: [StoreEntity(name: "Item", properties: [property])])
    return try SQLiteStore.inFile(folder.path(path), schema)
  }

  @Test func `are decoded once for equal bytes, and stay apart for others`() throws {
    // Two of them are equal as strings.
    let names = ["caf\u{e9}", "cafe\u{301}"] + (0..<10).map { "name\($0)" }
    for round in 0..<3 {
      for (number, name) in names.enumerated() {
        let store = try open(name, "\(number).db")
        if round == 0 {
          let entity = try #require(store.schema.storeSchema.entity(named: "Item"))
          try store.insert([.new(entity, [name: .string(name)])])
        }
        let metadata = try store.database.read { try Metadata(from: $0) }
        let found = try #require(metadata.schema.entities.first?.properties.first?.name)
        #expect(Array(found.utf8) == Array(name.utf8))
        let again = try store.database.read { try Metadata(from: $0) }
        #expect(again.map === metadata.map)
        #expect(try store.count(StoreQuery(entity: "Item")) == 1)
      }
    }
  }
}
