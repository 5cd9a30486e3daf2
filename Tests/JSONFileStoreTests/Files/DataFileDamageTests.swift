import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("Damaged external data files of a JSON store")
struct DataFileDamageTests {
  private let fixture: StoreFixture
  private let store: JSONFileStore

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.openFiles()
    try store.insert(
      DataFileSample.record("a", DataFileSample.data(200, 1)),
      DataFileSample.record("b", DataFileSample.data(200, 2))
    )
  }

  private func file(_ index: Int) -> URL {
    fixture.dataFolder.appending(path: fixture.dataFiles[index])
  }

  private func expectDamage(_ code: DataStoreError = .storeDamaged) {
    let photo = QueryExpression.property(.element(0), "photo")
    let filter = QueryExpression.compare(.less, photo, .constant(DataFileSample.data(200, 9)))
    let filtered = StoreQuery(entity: "Picture", filter: filter)
    let sorted = StoreQuery(entity: "Picture", sort: [QuerySort(photo)])
    let ways: [(String, () throws -> Void)] = [
      ("fetch", { _ = try store.pictures() }),
      ("filter", { _ = try store.count(filtered) }),
      ("sort", { _ = try store.identifiers(sorted) }),
      (
        "select",
        { try store.select(StoreSelection(filtered, columns: [.value(photo)])) { _ in } }
      ),
      (
        "read",
        {
          try store.read(StoreQuery(entity: "Picture")) { reader in
            _ = try reader.value(at: 1)
          }
        }
      ),
    ]
    for (name, way) in ways {
      let error = #expect(throws: DataStoreError.self, "\(name)") { try way() }
      #expect(error == code, "\(name)")
      #expect(error?.entity == "Picture" && error?.property == "photo", "\(name)")
      #expect(error?.file?.contains("items.json.files/") == true, "\(name)")
    }
  }

  @Test(arguments: [
    Data(), Data(repeating: 1, count: 199), Data(repeating: 1, count: 201),
    Data(repeating: 3, count: 200),
  ])
  func `throw if a file's contents differ`(bytes: Data) throws {
    try bytes.write(to: file(0))
    expectDamage()
  }

  @Test func `throw if a file is missing, a link, or another value's file`() throws {
    let (first, second) = (file(0), file(1))
    let other = fixture.folder.appending(path: "other")
    try FileManager.default.moveItem(at: first, to: other)
    expectDamage()
    try FileManager.default.createSymbolicLink(at: first, withDestinationURL: other)
    expectDamage(.storeNotTrusted)
    try FileManager.default.removeItem(at: first)
    try FileManager.default.moveItem(at: second, to: first)
    try FileManager.default.moveItem(at: other, to: second)
    expectDamage()
  }

  @Test(arguments: [
    "{\"$file\":\"../../../../../../etc/passwd\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\",\"bytes\":1,\"crc32c\":\"00000000\"}", "{}", "{\"$file\":1}",
    "{\"$file\":\"0123456789abcdef0123456789abcdef\",\"bytes\":-1,\"crc32c\":\"0\"}",
    "{\"$file\":\"0123456789abcdef0123456789abcdef\",\"bytes\":1}",
    "{\"bytes\":1,\"crc32c\":\"00000000\",\"other\":1}",
  ])
  func `throw if the document's reference to a file is invalid`(text: String) throws {
    try store.close()
    let names = fixture.dataFiles
    var document = try fixture.text(fixture.url)
    let start = try #require(document.range(of: "{\"$file\""))
    let end = try #require(document[start.lowerBound...].firstIndex(of: "}"))
    document.replaceSubrange(start.lowerBound...end, with: text)
    try Data(document.utf8).write(to: fixture.url)
    let hostile = try fixture.openFiles(allowsSave: false)
    let error = #expect(throws: DataStoreError.self) { try hostile.pictures() }
    #expect(error == .storeDamaged)
    #expect(fixture.dataFiles == names)
  }

  @Test func `throw if the folder is a link`() throws {
    try store.close()
    let other = fixture.folder.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: fixture.dataFolder, to: other)
    try FileManager.default.createSymbolicLink(
      at: fixture.dataFolder,
      withDestinationURL: other
    )
    #expect(throws: DataStoreError.storeNotTrusted) { try fixture.openFiles() }
  }

  @Test(arguments: [true, false], [true, false])
  func `throw at opening if the folder is missing`(allowsSave: Bool, isPlain: Bool) throws {
    try store.close()
    if !isPlain {
      let text = try fixture.text(fixture.url).replacing("{\"$id\":", with: "{ \"$id\":")
      try Data(text.utf8).write(to: fixture.url)
    }
    try FileManager.default.removeItem(at: fixture.dataFolder)
    let error = #expect(throws: DataStoreError.self) {
      try fixture.openFiles(allowsSave: allowsSave)
    }
    #expect(error == .storeDamaged && error?.file?.hasSuffix("items.json.files") == true)
    // As the error says, an empty folder opens the store without the values.
    let manager = FileManager.default
    try manager.createDirectory(at: fixture.dataFolder, withIntermediateDirectories: false)
    let opened = try fixture.openFiles(allowsSave: allowsSave)
    #expect(try opened.count(StoreQuery(entity: "Picture")) == 2)
  }

  @Test func `do not include unreferenced files, of which only the store's own are removed`() throws
  {
    let orphan = store.newValueFileName()
    let foreign = String(repeating: "a", count: 32)
    for name in [orphan, foreign, "README"] {
      try Data("precious".utf8).write(to: fixture.dataFolder.appending(path: name))
    }
    let killed = try fixture.copyWithFiles()
    _ = try killed.openFiles(allowsSave: false)
    #expect(killed.dataFiles.count == 5)
    // The first file has a name of the store and no row: a killed save left it.
    for _ in 0..<2 {
      let again = try killed.openFiles()
      #expect(killed.dataFiles.count == 4 && !killed.dataFiles.contains(orphan))
      #expect(try again.photos() == store.photos())
      try again.compact()
      try again.close()
    }
    let again = try killed.openFiles()
    try again.erase()
    try again.close()
    #expect(killed.dataFiles == ["README", foreign].sorted())
  }

  @Test func `do not include those of a document whose journal a full disk keeps old`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.openFiles(durability: .relaxed)
    let rows = try store.insert(
      DataFileSample.record("a", DataFileSample.data(200, 1)),
      DataFileSample.record("b", DataFileSample.data(200, 2))
    )
    try store.compact()
    // The document still names the file, and a loss of power may remove the journal.
    try store.delete(rows[0])
    let (killed, other) = try (fixture.copyWithFiles(), fixture.copyWithFiles())
    let names = killed.dataFiles
    let recorded = FaultyFileAccess()
    let opened = try other.openFiles(access: recorded)
    let write = try #require(recorded.calls.lastIndex(of: .write))
    #expect(try opened.pictures().count == 1)
    #expect(names.count == 2 && other.dataFiles.count == 1)
    let access = FaultyFileAccess(.once(call: write, code: ENOSPC))
    let full = try killed.openFiles(access: access)
    #expect(try full.pictures().count == 1)
    #expect(killed.dataFiles == names)
    try full.close()
    #expect(try killed.openFiles().pictures().count == 1)
    #expect(killed.dataFiles.count == 1)
  }

  @Test func `do not include files whose names the document escapes`() throws {
    try store.close()
    let text = try fixture.text(fixture.url)
    let names = fixture.dataFiles
    var escaped = text.replacing("\"$file\"", with: #""\u0024f\u0069le""#)
    for name in names {
      let digits = name.utf8.map { "\\u00" + String($0, radix: 16) }
      let written = String(name.prefix(9)) + digits[9...12].joined() + name.dropFirst(13)
      escaped = escaped.replacing(name, with: written)
    }
    try #require(escaped.contains(#"\u0024f"#) && !names.contains(where: escaped.contains))
    try Data(escaped.utf8).write(to: fixture.url)
    // A row with another layout is read when it is first used.
    let again = try fixture.openFiles()
    try again.compact()
    #expect(fixture.dataFiles == names)
    let rows = try again.pictures().map(\.persistentIdentifier)
    try again.delete(rows[0])
    #expect(fixture.dataFiles.count == 1)
    #expect(try again.photos() == [DataFileSample.data(200, 2)])
  }

  @Test func `throw while the open store's folder is moved away, and are saved afterward`() throws {
    let moved = fixture.folder.appending(path: "moved")
    try FileManager.default.moveItem(at: fixture.dataFolder, to: moved)
    let large = DataFileSample.record("c", DataFileSample.data(200, 3))
    for _ in 0..<2 {
      let error = #expect(throws: DataStoreError.storeReplaced) { try store.insert(large) }
      #expect(error?.file?.hasSuffix("items.json.files") == true)
    }
    // A row without external data is saved.
    try store.insert(DataFileSample.record("d"))
    try FileManager.default.moveItem(at: moved, to: fixture.dataFolder)
    try store.insert(large)
    try store.close()
    let photos = try fixture.openFiles().photos()
    #expect(
      photos == [1, 2].map { DataFileSample.data(200, $0) } + [.null, DataFileSample.data(200, 3)]
    )
  }
}

@Suite("A save with external data in a JSON store, with file errors")
struct DataFileFaultTests {
  private func prepared() throws -> StoreFixture {
    let fixture = try StoreFixture()
    let store = try fixture.openFiles()
    for number in UInt8(0)..<3 {
      try store.insert(DataFileSample.record("\(number)", DataFileSample.data(200, number)))
    }
    try store.close()
    return fixture
  }

  private func change(_ store: JSONFileStore) throws {
    let rows = try store.pictures().map(\.persistentIdentifier)
    _ = try store.apply(
      StoreChanges(
        inserted: [
          DataFileSample.record("new", DataFileSample.data(300, 9)),
          DataFileSample.record("2", DataFileSample.data(300, 8)),
        ],
        updated: [
          StoreUpdate(identifier: rows[0], changes: [.init(1, DataFileSample.data(300, 7))])
        ],
        deleted: [rows[1]]
      )
    )
  }

  private func content(_ store: JSONFileStore) throws -> [[StoreValue]] {
    try store.pictures().map(\.values)
  }

  @Test(arguments: JSONFileStoreFaultTests.Kind.allCases)
  func `succeeds or changes nothing, and reopening removes its leftover files`(
    kind: JSONFileStoreFaultTests.Kind
  ) throws {
    let base = try prepared()
    let access = FaultyFileAccess()
    let reference = try base.copyWithFiles()
    let whole = try reference.openFiles(access: access)
    let before = try content(whole)
    access.reset()
    try change(whole)
    let count = access.calls.count
    let after = try content(whole)
    #expect(count > 15)
    for call in Sweep.part(Array(0..<count), of: 8) {
      let fixture = try base.copyWithFiles()
      let access = FaultyFileAccess()
      let store = try fixture.openFiles(access: access)
      let fault = kind.fault(at: call)
      access.reset(fault)
      var failure: DataStoreError?
      do {
        try change(store)
      } catch {
        failure = try #require(error as? DataStoreError, "\(fault)")
      }
      access.reset()
      let killed = try fixture.copyWithFiles()
      let reopened = try killed.openFiles()
      let now = try content(reopened)
      switch failure {
      case nil: #expect(now == after, "\(fault)")
      case .outcomeUnknown: #expect(now == before || now == after, "\(fault)")
      default:
        #expect(now == before, "\(fault)")
        try change(store)
        #expect(try content(store) == after, "\(fault)")
      }
      #expect(killed.dataFiles.count == 3, "\(fault)")
    }
  }

  private static func save(_ path: String, dyingAt call: Int) throws {
    let url = URL(filePath: path).appending(path: "items.json")
    var configuration = JSONFileStoreConfiguration(
      schema: Schema(storeSchema: StoreSchema(entities: [DataFileSample.picture])),
      url: url
    )
    configuration.externalStorageThreshold = DataFileSample.threshold
    configuration.access = FaultyFileAccess(.killing(call: call))
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    var rows = try store.insert(DataFileSample.record("0", DataFileSample.data(5_000, 1)))
    for round in UInt8(1)...6 {
      try Data([round]).write(to: URL(filePath: path + "/acknowledged"))
      _ = try store.apply(StoreChanges(deleted: rows))
      try Data([round, 0]).write(to: URL(filePath: path + "/acknowledged"))
      rows = try store.insert(DataFileSample.record("0", DataFileSample.data(5_000, round + 1)))
      if round == 3 { try store.compact() }
    }
    kill(getpid(), SIGKILL)
  }

  @Test(arguments: [12, 20, 29, 38, 47, 60, 75, 88, 103, 10_000])
  func `is stored completely or not at all if the process is killed`(call: Int) async throws {
    let fixture = try StoreFixture()
    let path = fixture.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, call = call as Int] in
      try Self.save(path, dyingAt: call)
    }
    let noted = (try? Data(contentsOf: URL(filePath: path + "/acknowledged"))) ?? Data()
    let store = try fixture.openFiles()
    let photos = try store.photos()
    let round = noted.first ?? 0
    let possible: [[StoreValue?]] =
      switch noted.count {
      // Nothing acknowledged: nothing, or the first save.
      case 0: [[], [DataFileSample.data(5_000, 1)]]
      // The row exists, or is already deleted.
      case 1: [[DataFileSample.data(5_000, round)], []]
      // The row is deleted, or inserted again.
      default: [[], [DataFileSample.data(5_000, round + 1)]]
      }
    #expect(possible.contains(photos), "\(call): \(round)")
    #expect(fixture.dataFiles.count == photos.count, "\(call)")
  }
}
