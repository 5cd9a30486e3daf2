import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A JSON store whose configuration or system calls fail")
struct InvalidLocationTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test(arguments: [-1, 86_401, .nan, .infinity])
  func `refuses a busy timeout outside of 0 to 86,400 seconds`(seconds: Double) throws {
    var configuration = fixture.configuration()
    configuration.busyTimeout = seconds
    let error = try #require(throws: DataStoreError.self) {
      try JSONFileStore(configuration, migrationPlan: nil)
    }
    #expect(error == .invalidConfiguration)
    #expect(error.message.contains("from 0 to 86400 seconds"))
    #expect(try fixture.names == [])
  }

  @Test(arguments: [
    ("https://example.org/a.json", "a copy needs a file URL"),
    ("file:///tmp/items.journal", "ends with .journal"),
  ])
  func `refuses a backup to an unusable URL`(address: String, message: String) throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("kept")]))
    let url = try #require(URL(string: address))
    let error = try #require(throws: DataStoreError.self) { try store.backup(to: url) }
    #expect(error == .invalidConfiguration)
    #expect(error.message.contains(message), "\(error)")
    #expect(error.file == url.path(percentEncoded: false))
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
  }

  @Test(arguments: [true, false])
  func `opens on a full disk after a kill, and saves when there is room`(
    usesJournal: Bool
  ) throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("kept")]))
    let (killed, other) = try (fixture.copy(), fixture.copy())
    func open(_ fixture: StoreFixture, _ access: FaultyFileAccess) throws -> JSONFileStore {
      var configuration = fixture.configuration(access: access)
      configuration.usesJournal = usesJournal
      return try JSONFileStore(configuration, migrationPlan: nil)
    }
    let recorded = FaultyFileAccess()
    let opened = try open(other, recorded)
    let write = try #require(recorded.calls.lastIndex(of: .write))
    #expect(try opened.all().count == 1)
    let access = FaultyFileAccess(.from(call: write, code: ENOSPC))
    let full = try open(killed, access)
    #expect(try full.all().map { $0["name"] } == [.string("kept")])
    let error = #expect(throws: DataStoreError.self) { try full.insert(newRow([:])) }
    #expect(error == .notSaved)
    access.reset()
    try full.insert(newRow(["name": .string("new")]))
    try full.close()
    let names = try killed.open().all().map { $0["name"] }
    #expect(names == [.string("kept"), .string("new")])
  }

  @Test func `keeps all rows if an old journal cannot be removed`() throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("kept")]))
    let journal = try Data(contentsOf: fixture.journal)
    try store.close()
    try journal.write(to: fixture.journal)
    let access = FaultyFileAccess()
    do { _ = try fixture.open(access: access) }
    let removal = try #require(access.calls.lastIndex(of: .unlink))
    #expect(try fixture.names == ["items.json"])

    try journal.write(to: fixture.journal)
    access.reset(.once(call: removal, code: EIO))
    let error = try #require(throws: DataStoreError.self) { try fixture.open(access: access) }
    #expect(error == .io)
    #expect(error.file == fixture.journal.path)
    #expect((error.cause as? FileError)?.operation == .unlink)
    #expect(try Data(contentsOf: fixture.journal) == journal)
    #expect(try fixture.open().all().map { $0["name"] } == [.string("kept")])
    #expect(try fixture.names == ["items.json"])
  }

  @Test func `keeps the document if there is no space for its new layout`() throws {
    do {
      let store = try fixture.open()
      let string = StoreValue.string(String(repeating: "x", count: 10_000))
      for number in Int64(0)..<150 {
        try store.insert(newRow(["number": .integer(number), "extra": string]))
      }
      try store.close()
    }
    let document = try Data(contentsOf: fixture.url)
    let access = FaultyFileAccess()
    var configuration = fixture.configuration(access: access)
    configuration.layout = .indented
    do {
      let store = try JSONFileStore(configuration, migrationPlan: nil)
      let calls = try { () -> [FileError.Operation] in
        let copy = try fixture.copy()
        let other = FaultyFileAccess()
        var configuration = copy.configuration(access: other)
        configuration.layout = .indented
        let store = try JSONFileStore(configuration, migrationPlan: nil)
        other.reset()
        try store.compact()
        return other.calls
      }()
      let write = try #require(calls.firstIndex(of: .write))
      #expect(calls.count { $0 == .write } > 1)
      access.reset(.once(call: write, code: ENOSPC))
      let error = try #require(throws: DataStoreError.self) { try store.compact() }
      #expect(error == .io)
      #expect(error.message.contains("nothing is lost"), "\(error)")
      #expect((error.cause as? FileError)?.operation == .write)
      #expect(try Data(contentsOf: fixture.url) == document)
      try store.compact()
      #expect(try Data(contentsOf: fixture.url) != document)
    }
    #expect(try fixture.open().all().count == 150)
  }

  @Test func `refuses to index a property if one of its value files is missing`() throws {
    do {
      let store = try fixture.openFiles()
      try store.insert(DataFileSample.record("a", DataFileSample.data(200)))
      try store.close()
    }
    let file = fixture.dataFolder.appending(path: try #require(fixture.dataFiles.first))
    let aside = fixture.folder.appending(path: "aside")
    try FileManager.default.moveItem(at: file, to: aside)
    let document = try Data(contentsOf: fixture.url)
    let indexed = DataFileSample.entity(indices: [["photo"]])
    let error = try #require(throws: DataStoreError.self) { try fixture.openFiles(indexed) }
    #expect(error == .storeDamaged)
    #expect(error.entity == "Picture" && error.property == "photo")
    #expect(error.file?.hasPrefix(fixture.dataFolder.path) == true)
    #expect(try Data(contentsOf: fixture.url) == document)
    try FileManager.default.moveItem(at: aside, to: file)
    #expect(try fixture.openFiles(indexed).photos() == [DataFileSample.data(200)])
  }
}
