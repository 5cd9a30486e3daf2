import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("Values in files")
struct ExternalValueTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore.withFiles(folder.path("a.db"))
  }

  @Test(arguments: [(99, 0), (100, 0), (101, 1), (3_000_000, 1)])
  func `are those above the threshold`(size: Int, files: Int) throws {
    let photo = StoreValue.data(Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }))
    let row = try store.insert([FileSample.picture("a", ["photo": photo])])[0]
    #expect(folder.valueFiles.count == files)
    #expect(try store.record(row)?["photo"] == photo)
    #expect(try folder.text("SELECT typeof(photo) FROM Picture") == (files == 0 ? "blob" : "text"))
    let again = try SQLiteStore.withFiles(folder.path("a.db"))
    #expect(try again.record(row)?["photo"] == photo)
  }

  @Test func `can be strings and structures, and are read back exactly`() throws {
    let notes = StoreValue.string("e\u{301}\u{0}" + String(repeating: "ж", count: 60))
    let extra = StoreValue.composite([
      .init("list", .array((0..<60).map { .integer($0) })), .init("$odd", .double(-0.0)),
    ])
    let row = try store.insert([FileSample.picture("a", ["notes": notes, "extra": extra])])[0]
    #expect(folder.valueFiles.count == 2)
    #expect(try store.record(row)?["notes"] == notes)
    #expect(try store.record(row)?["extra"] == extra)
    let read = try SQLiteStore.withFiles(folder.path("a.db"), allowsSave: false)
    #expect(try read.record(row)?["notes"] == notes)
  }

  @Test func `are only those of attributes with the option`() throws {
    try store.insert([FileSample.picture("a", ["small": FileSample.data(5_000)])])
    #expect(folder.valueFiles == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path("a.db.files")))
  }

  @Test func `stay in memory in an in-memory store`() throws {
    let memory = try SQLiteStore.inMemory(FileSample.schema)
    let row = try memory.insert([FileSample.picture("a", ["photo": FileSample.data(50_000)])])[0]
    #expect(try memory.record(row)?["photo"] == FileSample.data(50_000))
    let filter = QueryExpression.compare(
      .equal,
      .property(.element(0), "photo"),
      .constant(FileSample.data(50_000))
    )
    #expect(try memory.count(StoreQuery(entity: "Picture", filter: filter)) == 1)
  }

  @Test func `are removed when they are replaced, shortened or set to nil`() throws {
    let row = try store.insert([FileSample.picture("a", ["photo": FileSample.data(200, 1)])])[0]
    let first = folder.valueFiles
    try store.update(row, ["small": FileSample.data(1)])
    #expect(folder.valueFiles == first)
    try store.update(row, ["photo": FileSample.data(200, 2)])
    #expect(folder.valueFiles.count == 1)
    #expect(folder.valueFiles != first)
    #expect(try store.record(row)?["photo"] == FileSample.data(200, 2))
    try store.update(row, ["photo": FileSample.data(2)])
    #expect(folder.valueFiles == [])
    try store.update(row, ["photo": FileSample.data(200, 3)])
    try store.update(row, ["photo": .null])
    #expect(folder.valueFiles == [])
    #expect(try store.record(row)?["photo"] == .null)
  }

  @Test func `are removed with their rows`() throws {
    let rows = try store.insert(
      (0..<3).map {
        FileSample.picture(
          "\($0)",
          ["photo": FileSample.data(200, UInt8($0)), "notes": .string("n")]
        )
      }
    )
    _ = try store.apply(StoreChanges(deleted: [rows[1]]))
    #expect(folder.valueFiles.count == 2)
    #expect(try store.record(rows[2])?["photo"] == FileSample.data(200, 2))
    try store.erase()
    #expect(folder.valueFiles == [])
  }

  @Test func `are those of the last object if new objects are merged`() throws {
    let row = try store.insert([FileSample.picture("a", ["photo": FileSample.data(200, 1)])])[0]
    let same = try store.insert([
      FileSample.picture("a", ["photo": FileSample.data(200, 2)]),
      FileSample.picture("a", ["photo": FileSample.data(200, 3)]),
    ])
    #expect(same == [row, row])
    #expect(folder.valueFiles.count == 1)
    #expect(try store.record(row)?["photo"] == FileSample.data(200, 3))
  }

  @Test func `are kept while another row has the same reference`() throws {
    let row = try store.insert([FileSample.picture("a", ["photo": FileSample.data(200, 1)])])[0]
    try folder.run("INSERT INTO Picture(_key, name, photo) SELECT 99, 'b', photo FROM Picture")
    _ = try store.apply(StoreChanges(deleted: [row]))
    #expect(try store.pictures().map { $0["photo"] } == [FileSample.data(200, 1)])
    let other = try store.pictures()[0].persistentIdentifier
    _ = try store.apply(StoreChanges(deleted: [other]))
    #expect(folder.valueFiles == [])
  }

  @Test func `are not read before they are accessed`() throws {
    let row = try store.insert([
      FileSample.picture("a", ["photo": FileSample.data(200), "notes": .string("short")])
    ])[0]
    let photo = try #require(FileSample.picture.indexByName["photo"])
    let notes = try #require(FileSample.picture.indexByName["notes"])
    for named in [nil, ["photo"]] {
      var byKey = StoreQuery.rows([row], of: "Picture")
      var all = StoreQuery(entity: "Picture")
      byKey.properties = named
      all.properties = named
      for query in [byKey, all] {
        var deferred: [Bool] = []
        try store.read(query) { reader in
          deferred = [reader.isDeferred(at: photo), reader.isDeferred(at: notes)]
          let value = try reader.value(at: photo)
          #expect(value == FileSample.data(200))
        }
        // A value in a file is deferred unless it is named; others only if another one is named.
        #expect(deferred == [named == nil, named != nil])
      }
    }
    try FileManager.default.removeItem(at: folder.valueFile(folder.valueFiles[0]))
    var names: [StoreValue] = []
    try store.read(StoreQuery(entity: "Picture")) { reader in
      names.append(try reader.value(at: 0))
      #expect(try !reader.isNull(at: photo))
    }
    #expect(names == [.string("a")])
  }

  @Test func `move when they are next written with another threshold`() throws {
    let row = try store.insert([FileSample.picture("a", ["photo": FileSample.data(200, 1)])])[0]
    let other = try SQLiteStore.withFiles(folder.path("a.db"), threshold: .max)
    #expect(try other.record(row)?["photo"] == FileSample.data(200, 1))
    try other.update(row, ["photo": FileSample.data(200, 2)])
    #expect(folder.valueFiles == [])
    #expect(try store.record(row)?["photo"] == FileSample.data(200, 2))
    var configuration = SQLiteStoreConfiguration(url: URL(filePath: folder.path("b.db")))
    configuration.externalStorageThreshold = -1
    #expect(throws: DataStoreError.invalidConfiguration) { try configuration.validate() }
  }

  @Test(arguments: [StoreCapabilities.Durability.relaxed, .none])
  func `are removed later if a loss of power may restore their rows`(
    durability: StoreCapabilities.Durability
  ) throws {
    let careless = try SQLiteStore.withFiles(folder.path("a.db"), durability: durability)
    let row = try careless.insert([FileSample.picture("a", ["photo": FileSample.data(200)])])[0]
    for number in 1...3 {
      try careless.update(row, ["photo": FileSample.data(200, UInt8(number))])
    }
    #expect(folder.valueFiles.count == 4)
    for number in 1...60 {
      try careless.update(row, ["photo": FileSample.data(200, UInt8(number))])
    }
    #expect(folder.valueFiles.count < 40)
    _ = try SQLiteStore.withFiles(folder.path("a.db"), durability: durability)
    #expect(folder.valueFiles.count == 1)
  }
}
