import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite("External data in a JSON store")
struct DataFileTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
  }

  @Test(arguments: [(99, 0), (100, 0), (101, 1), (3_000_000, 1)])
  func `is data above the threshold`(size: Int, files: Int) throws {
    let photo = StoreValue.data(Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }))
    let store = try fixture.openFiles()
    try store.insert(DataFileSample.record("a", photo))
    #expect(fixture.dataFiles.count == files)
    #expect(try store.photos() == [photo])
    // First from the journal, then from the document.
    let copy = try fixture.copyWithFiles()
    #expect(try copy.openFiles().photos() == [photo])
    try store.close()
    #expect(try fixture.text(fixture.url).contains("\"$file\"") == (files == 1))
    #expect(try fixture.openFiles().photos() == [photo])
    #expect(fixture.dataFiles.count == files)
  }

  @Test func `is limited to attributes with the option`() throws {
    let store = try fixture.openFiles(DataFileSample.entity(options: []))
    try store.insert(DataFileSample.record("a", DataFileSample.data(5_000)))
    #expect(!FileManager.default.fileExists(atPath: fixture.dataFolder.path))
  }

  @Test func `is removed if the value is replaced, shortened or deleted with its row`() throws {
    let store = try fixture.openFiles()
    let row = try store.insert(DataFileSample.record("a", DataFileSample.data(200, 1)))[0]
    let first = fixture.dataFiles
    try store.setPhoto(row, DataFileSample.data(200, 2))
    #expect(fixture.dataFiles.count == 1 && fixture.dataFiles != first)
    try store.setPhoto(row, DataFileSample.data(2))
    #expect(fixture.dataFiles == [])
    try store.setPhoto(row, DataFileSample.data(200, 3))
    #expect(try store.photos() == [DataFileSample.data(200, 3)])
    // A new object with the unique name updates the row, and the last object of a save wins.
    try store.insert(
      DataFileSample.record("a", DataFileSample.data(200, 4)),
      DataFileSample.record("a", DataFileSample.data(200, 5))
    )
    #expect(fixture.dataFiles.count == 1)
    #expect(try store.photos() == [DataFileSample.data(200, 5)])
    try store.delete(row)
    #expect(fixture.dataFiles == [])
    try store.insert(DataFileSample.record("b", DataFileSample.data(200, 6)))
    try store.erase()
    #expect(fixture.dataFiles == [])
  }

  @Test func `is kept until a checkpoint if a power loss may restore its row`() throws {
    let store = try fixture.openFiles(durability: .relaxed)
    let row = try store.insert(DataFileSample.record("a", DataFileSample.data(200, 1)))[0]
    try store.setPhoto(row, DataFileSample.data(200, 2))
    #expect(fixture.dataFiles.count == 2)
    try store.compact()
    #expect(fixture.dataFiles.count == 1)
    for number in 0..<60 { try store.setPhoto(row, DataFileSample.data(200, UInt8(number))) }
    #expect(fixture.dataFiles.count < 40)
    #expect(try store.photos() == [DataFileSample.data(200, 59)])
  }

  @Test func `is kept while another row, copied by hand, refers to it`() throws {
    do {
      let store = try fixture.openFiles()
      try store.insert(DataFileSample.record("a", DataFileSample.data(200, 1)))
    }
    var text = try fixture.text(fixture.url)
    let line = try #require(text.split(separator: "\n").first { $0.contains("$id") })
    let copy = line.replacing("\"$id\":1", with: "\"$id\":2").replacing("\"a\"", with: "\"b\"")
    text = text.replacing(line, with: "\(line),\n\(copy)")
      .replacing("\"nextKey\": 2", with: "\"nextKey\": 3")
    try Data(text.utf8).write(to: fixture.url)
    let store = try fixture.openFiles()
    let rows = try store.pictures().map(\.persistentIdentifier)
    #expect(rows.count == 2)
    try store.delete(rows[0])
    #expect(try store.photos() == [DataFileSample.data(200, 1)])
    try store.delete(rows[1])
    #expect(fixture.dataFiles == [])
  }

  @Test func `is not read before its value is used`() throws {
    let store = try fixture.openFiles()
    let row = try store.insert(DataFileSample.record("a", DataFileSample.data(200)))[0]
    for named in [nil, ["photo"]] {
      var query = StoreQuery.rows([row], of: "Picture")
      query.properties = named
      var seen: [(Bool, StoreValue)] = []
      try store.read(query) { reader in
        let value = try reader.value(at: 1)
        seen.append((reader.isDeferred(at: 1), value))
      }
      #expect(seen.map(\.0) == [named == nil])
      #expect(seen.map(\.1) == [DataFileSample.data(200)])
    }
    try FileManager.default.removeItem(at: fixture.dataFolder)
    var names: [StoreValue] = []
    try store.read(StoreQuery(entity: "Picture")) { reader in
      let isNull = try reader.isNull(at: 1)
      #expect(!isNull)
      names.append(try reader.value(at: 0))
    }
    #expect(names == [.string("a")])
  }

  @Test func `is kept for a read that began before its replacement`() throws {
    let store = try fixture.openFiles()
    let rows = try store.insert(
      DataFileSample.record("a", DataFileSample.data(200, 1)),
      DataFileSample.record("b", DataFileSample.data(200, 2))
    )
    var seen: [StoreValue] = []
    try store.read(StoreQuery(entity: "Picture")) { reader in
      if seen.isEmpty {
        for row in rows { try store.setPhoto(row, DataFileSample.data(300)) }
        #expect(fixture.dataFiles.count == 4)
      }
      seen.append(try reader.value(at: 1))
    }
    #expect(seen == [DataFileSample.data(200, 1), DataFileSample.data(200, 2)])
    #expect(fixture.dataFiles.count == 2)
  }

  @Test func `moves with its next save after the schema or the threshold changes`() throws {
    var row: PersistentIdentifier
    do {
      let store = try fixture.openFiles(DataFileSample.entity(options: []))
      row = try store.insert(DataFileSample.record("a", DataFileSample.data(200, 1)))[0]
      try store.insert(DataFileSample.record("b", DataFileSample.data(200, 2)))
    }
    do {
      let store = try fixture.openFiles()
      #expect(try store.photos() == [1, 2].map { DataFileSample.data(200, $0) })
      try store.setPhoto(row, DataFileSample.data(200, 3))
      #expect(fixture.dataFiles.count == 1)
    }
    do {
      let store = try fixture.openFiles(DataFileSample.entity(options: []))
      #expect(try store.photos() == [3, 2].map { DataFileSample.data(200, $0) })
      #expect(fixture.dataFiles.count == 1)
      try store.setPhoto(row, DataFileSample.data(200, 4))
      #expect(fixture.dataFiles == [])
    }
    let store = try fixture.openFiles(threshold: .max)
    #expect(try store.photos() == [4, 2].map { DataFileSample.data(200, $0) })
    #expect(throws: DataStoreError.invalidConfiguration) { try fixture.openFiles(threshold: -1) }
  }

  @Test func `moves into the document if it is indexed`() throws {
    try fixture.openFiles().insert(DataFileSample.record("a", DataFileSample.data(200, 1)))
    let store = try fixture.openFiles(DataFileSample.entity(indices: [["photo"]]))
    #expect(try store.photos() == [DataFileSample.data(200, 1)])
    try store.insert(DataFileSample.record("b", DataFileSample.data(200, 3)))
    _ = try fixture.openFiles(DataFileSample.entity(indices: [["photo"]]))
    #expect(fixture.dataFiles.count <= 1)
  }

  // Queries.

  private static let photo = QueryExpression.property(.element(0), "photo")

  @Test(arguments: [
    QueryExpression.compare(.equal, photo, .constant(DataFileSample.data(200, 2))),
    .compare(.notEqual, photo, .constant(DataFileSample.data(200, 2))),
    .compare(.less, photo, .constant(DataFileSample.data(50, 2))),
    .compare(.equal, photo, .constant(.null)),
    .contains(.constant(.array([DataFileSample.data(200, 0), DataFileSample.data(20, 1)])), photo),
  ])
  func `has the same query results as data in the document`(filter: QueryExpression) throws {
    let other = try StoreFixture()
    let stores = [try fixture.openFiles(), try other.openFiles(threshold: .max)]
    for store in stores {
      for number in 0..<9 {
        let photo =
          number % 4 == 3
          ? .null : DataFileSample.data(number % 2 == 0 ? 200 : 20, UInt8(number % 3))
        try store.insert(DataFileSample.record("\(number)", photo))
      }
    }
    #expect(fixture.dataFiles.count == 5 && other.dataFiles == [])
    for sort in [[], [QuerySort(Self.photo)], [QuerySort(Self.photo, isReversed: true)]] {
      let query = StoreQuery(entity: "Picture", filter: filter, sort: sort)
      let results = try stores.map { try $0.fetch(query).map(\.values) }
      #expect(results[0] == results[1])
      #expect(try stores[0].count(query) == results[1].count)
      let selection = StoreSelection(query, columns: [.value(Self.photo)])
      let selected = try stores.map { store in
        var rows: [[StoreValue]] = []
        try store.select(selection) { rows.append($0) }
        return rows
      }
      #expect(selected[0] == selected[1])
    }
  }
}
