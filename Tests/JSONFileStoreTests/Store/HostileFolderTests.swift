import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite("A JSON store in a hostile folder")
struct HostileFolderTests {
  /// What is found at a path where the store expects its own file.
  enum Trap: CaseIterable {
    case symbolicLink, danglingLink, hardLink, pipe, folder
  }

  private let fixture: StoreFixture
  private let victim: URL

  init() throws {
    fixture = try StoreFixture()
    victim = fixture.folder.appending(path: "precious")
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("one")]))
    try store.close()
    try Data("precious".utf8).write(to: victim)
  }

  private func set(_ trap: Trap, at url: URL) throws {
    let manager = FileManager.default
    try? manager.removeItem(at: url)
    switch trap {
    case .symbolicLink: try manager.createSymbolicLink(at: url, withDestinationURL: victim)
    case .danglingLink:
      let nowhere = fixture.folder.appending(path: "nowhere")
      try manager.createSymbolicLink(at: url, withDestinationURL: nowhere)
    case .hardLink: try manager.linkItem(at: victim, to: url)
    case .pipe: try #require(mkfifo(url.path, 0o600) == 0)
    case .folder: try manager.createDirectory(at: url, withIntermediateDirectories: false)
    }
  }

  /// Opens, saves and closes, and returns the first error.
  private func use() -> (any Error)? {
    do {
      let store = try fixture.open()
      try store.insert(newRow(["name": .string("two")]))
      try store.close()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["items.json", "items.json.journal", "items.json.lock"], Trap.allCases)
  func `refuses a path that is not a regular file, and changes no other file`(
    name: String,
    trap: Trap
  ) throws {
    let document = try Data(contentsOf: fixture.url)
    try set(trap, at: fixture.folder.appending(path: name))
    let error = try #require(use() as? DataStoreError)
    #expect([.storeNotTrusted, .storeDamaged, .io].contains(error), "\(error)")
    // A link to the document is followed, and its target is no document.
    let isFollowed = name == "items.json" && trap == .symbolicLink
    #expect(error.file?.contains(isFollowed ? "precious" : name) == true, "\(error)")
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.appending(path: "nowhere").path))
    if name != "items.json" { #expect(try Data(contentsOf: fixture.url) == document) }
  }

  @Test(arguments: ["items.json", "items.json.journal"])
  func `refuses to write if a file has a second hard link`(name: String) throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("two")]))
    let killed = try fixture.copy()
    let (first, second) = (
      killed.folder.appending(path: name), killed.folder.appending(path: "second")
    )
    try FileManager.default.linkItem(at: first, to: second)
    let bytes = try Data(contentsOf: first)
    let error = #expect(throws: DataStoreError.storeNotTrusted) { try killed.open() }
    #expect(error?.file == first.path)
    #expect(error?.message.contains("2 names") == true)
    #expect(try Data(contentsOf: second) == bytes)
    #expect(try killed.open(allowsSave: false).all().count == 2)
    try FileManager.default.removeItem(at: second)
    #expect(try killed.open().all().count == 2)
  }

  @Test(arguments: [Trap.symbolicLink, .danglingLink, .pipe])
  func `removes no temporary file that it cannot have created`(trap: Trap) throws {
    let name = ".items.json.tmp-0000000000000000"
    try set(trap, at: fixture.folder.appending(path: name))
    #expect(use() == nil)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).contains(name))
  }

  @Test func `is read-only in a folder where all users may replace files`() throws {
    let names = try fixture.names
    #expect(chmod(fixture.folder.path, 0o777) == 0)
    #expect(throws: DataStoreError.storeNotTrusted) { try fixture.open() }
    #expect(try fixture.open(allowsSave: false).all().count == 1)
    #expect(try fixture.names == names)
    #expect(chmod(fixture.folder.path, 0o1777) == 0)
    #expect(use() == nil)
    #expect(chmod(fixture.folder.path, 0o777) == 0)
    let own = fixture.folder.appending(path: "own/items.json")
    let configuration = JSONFileStoreConfiguration(schema: StoreFixture.schema, url: own)
    _ = try JSONFileStore(configuration, migrationPlan: nil)
    #expect(try permissions(fixture.folder.appending(path: "own")) == 0o700)
  }

  @Test func `keeps the permissions of its files when it rewrites them`() throws {
    let manager = FileManager.default
    for mode in [0o600, 0o640] {
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: fixture.url.path)
      let store = try fixture.open()
      let row = try store.insert(newRow(["name": .string("\(mode)")]))
      #expect(try permissions(fixture.journal) == 0o600)
      try store.delete(row[0])
      try store.close()
      #expect(try permissions(fixture.url) == mode)
      #expect(try permissions(fixture.folder.appending(path: "items.json.lock")) == 0o600)
    }
  }

  private func permissions(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }
}
