import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct BackupTests {
  private let fixture: StoreFixture
  private let target: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    target = try StoreFixture()
  }

  @Test func `a backup is a store with the same rows and identifiers`() throws {
    let store = try fixture.open()
    let rows = try store.insert(newRow(["name": .string("a")]), newRow(["name": .string("b")]))
    try store.compact()
    try store.update(rows[0], ["friends": .identifiers(rows)])
    try store.backup(to: target.url)
    // The copy does not contain later saves.
    try store.insert(newRow(["name": .string("later")]))
    #expect(try target.names == ["items.json"])
    let copy = try target.open()
    #expect(copy.identifier == store.identifier)
    #expect(try copy.content() == store.content().filter { $0["name"] != .string("later") })
    #expect(try copy.verify() == [])
    #expect(try copy.insert(newRow([:])).first?.integerKey == 3)
  }

  @Test func `unused entities are copied without being read`() throws {
    do {
      let store = try fixture.open()
      try store.insert(newRow(["size": .integer(1)], entity: "Other"))
      try store.close()
    }
    let store = try fixture.open(allowsSave: false)
    try store.backup(to: target.url)
    #expect(try target.open().content() == store.content())
  }

  @Test func `a backup replaces no existing file`() throws {
    let store = try fixture.open()
    for name in ["items.json", "items.json.journal", "items.json.files"] {
      let taken = try StoreFixture()
      let url = taken.folder.appending(path: name)
      try Data("mine".utf8).write(to: url)
      let error = #expect(throws: DataStoreError.self) { try store.backup(to: taken.url) }
      #expect(error == .io)
      #expect(try Data(contentsOf: url) == Data("mine".utf8))
      #expect(try taken.names == [name])
    }
    #expect(throws: DataStoreError.io) { try store.backup(to: fixture.url) }
  }

  @Test func `external data is copied too`() throws {
    let store = try fixture.openFiles()
    _ = try store.apply(
      StoreChanges(inserted: [DataFileSample.record("a", DataFileSample.data(500))])
    )
    try store.backup(to: target.url)
    #expect(target.dataFiles == fixture.dataFiles)
    let copy = try target.openFiles()
    #expect(try copy.photos() == [DataFileSample.data(500)])
    #expect(try copy.verify() == [])
  }

  @Test func `a damaged value fails the backup and leaves no file`() throws {
    let store = try fixture.openFiles()
    _ = try store.apply(
      StoreChanges(inserted: [DataFileSample.record("a", DataFileSample.data(500))])
    )
    let file = fixture.dataFolder.appending(path: fixture.dataFiles[0])
    try Data(repeating: 1, count: 500).write(to: file)
    #expect(throws: DataStoreError.storeDamaged) { try store.backup(to: target.url) }
    #expect(try target.names == [])
  }

  @Test(arguments: JSONFileStoreFaultTests.Kind.allCases)
  func `a failure of any file operation leaves no copy or a complete one`(
    kind: JSONFileStoreFaultTests.Kind
  ) throws {
    let access = FaultyFileAccess()
    let store = try fixture.openFiles(access: access)
    _ = try store.apply(
      StoreChanges(inserted: [DataFileSample.record("a", DataFileSample.data(500))])
    )
    let expected = try store.pictures()
    access.reset()
    try store.backup(to: target.url)
    for call in 0..<access.calls.count {
      let target = try StoreFixture()
      access.reset(kind.fault(at: call))
      let isDone = (try? store.backup(to: target.url)) != nil
      access.reset()
      if isDone {
        #expect(try target.openFiles().pictures() == expected, "\(kind) \(call)")
      } else if kind != .lasting, kind != .torn {
        #expect(try target.names == [], "\(kind) \(call)")
      } else if try target.names.contains("items.json") {
        // Later removals fail too; a file with the copy's name is complete.
        let copy = try target.openFiles(allowsSave: false)
        #expect(try copy.pictures() == expected, "\(kind) \(call)")
      }
      #expect(try store.pictures() == expected)
    }
  }
}
