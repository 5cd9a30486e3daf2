import Foundation
import StoreFiles
import StoreProtocol
import Testing

@testable import JSONFileStore

@Suite struct BackupTests {
  private let fixture: StoreFixture
  private let place: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    place = try StoreFixture()
  }

  @Test func `a copy is a store with the same rows and identifiers`() throws {
    let store = try fixture.open()
    let rows = try store.insert(newRow(["name": .string("a")]), newRow(["name": .string("b")]))
    try store.compact()
    try store.update(rows[0], ["friends": .identifiers(rows)])
    try store.backup(to: place.url)
    // What is saved later is not in the copy.
    try store.insert(newRow(["name": .string("later")]))
    #expect(try place.names == ["items.json"])
    let copy = try place.open()
    #expect(copy.identifier == store.identifier)
    #expect(try copy.content() == store.content().filter { $0["name"] != .string("later") })
    #expect(try copy.verify() == [])
    #expect(try copy.insert(newRow([:])).first?.integerKey == 3)
  }

  @Test func `entities that nobody used are copied as they stand`() throws {
    do {
      let store = try fixture.open()
      try store.insert(newRow(["size": .integer(1)], entity: "Other"))
      try store.close()
    }
    let store = try fixture.open(allowsSave: false)
    try store.backup(to: place.url)
    #expect(try place.open().content() == store.content())
  }

  @Test func `nothing that is there is replaced`() throws {
    let store = try fixture.open()
    for name in ["items.json", "items.json.journal", "items.json.files"] {
      let taken = try StoreFixture()
      let url = taken.folder.appending(path: name)
      try Data("mine".utf8).write(to: url)
      let error = #expect(throws: DataStoreError.self) { try store.backup(to: taken.url) }
      #expect(error?.code == .io)
      #expect(try Data(contentsOf: url) == Data("mine".utf8))
      #expect(try taken.names == [name])
    }
    #expect(throws: DataStoreError.io) { try store.backup(to: fixture.url) }
  }

  @Test func `values in files of their own are copied along`() throws {
    let store = try fixture.openFiles()
    _ = try store.apply(
      StoreChanges(inserted: [DataFileSample.record("a", DataFileSample.data(500))])
    )
    try store.backup(to: place.url)
    #expect(place.dataFiles == fixture.dataFiles)
    let copy = try place.openFiles()
    #expect(try copy.photos() == [DataFileSample.data(500)])
    #expect(try copy.verify() == [])
  }

  @Test func `a value that is damaged ends it, and nothing is left`() throws {
    let store = try fixture.openFiles()
    _ = try store.apply(
      StoreChanges(inserted: [DataFileSample.record("a", DataFileSample.data(500))])
    )
    let file = fixture.dataFolder.appending(path: fixture.dataFiles[0])
    try Data(repeating: 1, count: 500).write(to: file)
    #expect(throws: DataStoreError.storeDamaged) { try store.backup(to: place.url) }
    #expect(try place.names == [])
  }

  @Test(arguments: JSONFileStoreFaultTests.Kind.allCases)
  func `each call fails and leaves no copy or a whole one`(
    kind: JSONFileStoreFaultTests.Kind
  ) throws {
    let access = FaultyFileAccess()
    let store = try fixture.openFiles(access: access)
    _ = try store.apply(
      StoreChanges(inserted: [DataFileSample.record("a", DataFileSample.data(500))])
    )
    let expected = try store.pictures()
    access.reset()
    try store.backup(to: place.url)
    for call in 0..<access.calls.count {
      let place = try StoreFixture()
      access.reset(kind.fault(at: call))
      let isDone = (try? store.backup(to: place.url)) != nil
      access.reset()
      if isDone {
        #expect(try place.openFiles().pictures() == expected, "\(kind) \(call)")
      } else if kind != .lasting, kind != .torn {
        #expect(try place.names == [], "\(kind) \(call)")
      } else if try place.names.contains("items.json") {
        // Nothing could be removed any more; what has the copy's name is whole.
        let copy = try place.openFiles(allowsSave: false)
        #expect(try copy.pictures() == expected, "\(kind) \(call)")
      }
      #expect(try store.pictures() == expected)
    }
  }
}
