import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import Testing

/// Paths that do not refer to a JSON store.
@Suite struct MistakenPathTests {
  private let folder: URL
  private var path: String { folder.appending(path: "notes").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "MistakenPathTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func open(
    _ path: String,
    _ schema: StoreSchema? = StoreSchema(entities: []),
    allowsSave: Bool = true
  ) throws {
    _ = try JSONFileStore(
      JSONFileStoreConfiguration(
        schema: schema.map(Schema.init(storeSchema:)),
        url: URL(filePath: path),
        allowsSave: allowsSave
      ),
      migrationPlan: nil
    )
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
  }

  @Test(arguments: ["hello", "{\"a\":1}", "[]", "", "SQLite format 3\0"])
  func `opening a foreign file fails, and creates no files beside it`(content: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(content.utf8).write(to: URL(filePath: path))
    #expect(throws: DataStoreError.storeNotTrusted) { try open(path) }
    #expect(throws: DataStoreError.storeNotTrusted) { try open(path, nil, allowsSave: false) }
    #expect(try names == ["notes"])
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(content.utf8))
  }

  @Test func `opening a path without a usable file creates nothing`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: DataStoreError.invalidConfiguration) { try open(path, nil) }
    #expect(throws: DataStoreError.storeNotFound) { try open(path, nil, allowsSave: false) }
    #expect(try names == [])
    #expect(throws: DataStoreError.storeNotTrusted) { try open("/dev/null") }
    #expect(!FileManager.default.fileExists(atPath: "/dev/null.lock"))
  }

  @Test func `a store whose file was removed is not opened a second time`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try JSONFileStore(
      JSONFileStoreConfiguration(
        schema: Schema(storeSchema: StoreSchema(entities: [])),
        url: URL(filePath: path)
      ),
      migrationPlan: nil
    )
    try open(path)
    try FileManager.default.removeItem(atPath: path)
    let error = #expect(throws: DataStoreError.self) { try open(path) }
    #expect(error == .storeReplaced)
    #expect(error?.message.contains("close it there first") == true)
    try store.close()
    try open(path)
  }

  @Test func `rejecting a SQLite database does not release the locks of the process`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("SQLite format 3\0".utf8).write(to: URL(filePath: path))
    let directory = try Folder(path: folder.path)
    let file = try directory.open("notes", for: .updating, isPinned: true)
    let range = FileRange(start: 0, length: 1)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_len = 1
    // A lock as SQLite takes it. Closing any descriptor of the file would release it.
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    let locking = handle.fileDescriptor
    #expect(fcntl(locking, F_SETLK, &lock) == 0)
    let error = #expect(throws: DataStoreError.self) { try open(path) }
    #expect(error == .storeNotTrusted)
    #expect(error?.message.contains("open it as sqlite:") == true)
    #expect(file.hasProcessLock(range))
    #expect(try names == ["notes"])
    var files = [file]
    let status = try file.status()
    PinnedFiles.unpin(status, &files, isInUse: false)
    try handle.close()
  }
}
