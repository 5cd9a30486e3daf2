import Foundation
import SQLTranslation
import StoreFiles
import SQLiteStore
import StoreProtocol
import Testing

@Suite("Damage to values in files")
struct ExternalDamageTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let rows: [PersistentIdentifier]

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore.withFiles(folder.path("a.db"))
    rows = try store.insert([
      FileSample.picture("a", ["photo": FileSample.data(200, 1)]),
      FileSample.picture("b", ["photo": FileSample.data(200, 2)]),
    ])
  }

  private var files: [URL] { folder.valueFiles.map(folder.valueFile) }

  /// Reads the values in all ways, each of which must report the damage.
  private func expectDamage(
    _ code: DataStoreError = .storeDamaged,
    file: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let photo = QueryExpression.property(.element(0), "photo")
    let filter = QueryExpression.compare(.less, photo, .constant(FileSample.data(200, 9)))
    let ways: [(String, () throws -> Void)] = [
      ("fetch", { _ = try store.pictures() }),
      ("filter", { _ = try store.count(StoreQuery(entity: "Picture", filter: filter)) }),
      (
        "sort",
        { _ = try store.identifiers(StoreQuery(entity: "Picture", sort: [QuerySort(photo)])) }
      ),
      (
        "select",
        {
          let query = StoreQuery(entity: "Picture")
          try store.select(StoreSelection(query, columns: [.value(photo)])) { _ in }
        }
      ),
    ]
    for (name, way) in ways {
      let error = #expect(
        throws: DataStoreError.self,
        "\(name)",
        sourceLocation: sourceLocation
      ) { try way() }
      #expect(error == code, "\(name)", sourceLocation: sourceLocation)
      #expect(error?.entity == "Picture", "\(name)", sourceLocation: sourceLocation)
      #expect(error?.property == "photo", "\(name)", sourceLocation: sourceLocation)
      if let file {
        #expect(error?.file?.hasSuffix(file) == true, "\(name)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: [
    Data(), Data(repeating: 1, count: 199), Data(repeating: 1, count: 201),
    Data(repeating: 1, count: 199) + [0],
  ])
  func `is reported if a file has other bytes`(bytes: Data) throws {
    let name = try #require(folder.valueFiles.first)
    try bytes.write(to: files[0])
    try expectDamage(file: name)
  }

  @Test func `is reported if a file is missing, and other values can be read`() throws {
    let first = try #require(try folder.text("SELECT photo ->> '$.$file' FROM Picture LIMIT 1"))
    try FileManager.default.removeItem(at: folder.valueFile(first))
    try expectDamage(file: first)
    #expect(try store.record(rows[1])?["photo"] == FileSample.data(200, 2))
    // The row can be repaired.
    try store.update(rows[0], ["photo": FileSample.data(200, 3)])
    #expect(try store.record(rows[0])?["photo"] == FileSample.data(200, 3))
  }

  @Test func `does not prevent the deletion of a row without its file`() throws {
    let first = try #require(try folder.text("SELECT photo ->> '$.$file' FROM Picture LIMIT 1"))
    try FileManager.default.removeItem(at: folder.valueFile(first))
    _ = try store.apply(StoreChanges(deleted: [rows[0]]))
    #expect(try store.pictures().map(\.persistentIdentifier) == [rows[1]])
    #expect(folder.valueFiles.count == 1)
    #expect(try store.verify() == [])
  }

  @Test func `is reported if files were exchanged`() throws {
    let files = files
    let other = folder.url.appending(path: "other")
    try FileManager.default.moveItem(at: files[0], to: other)
    try FileManager.default.moveItem(at: files[1], to: files[0])
    try FileManager.default.moveItem(at: other, to: files[1])
    try expectDamage()
  }

  @Test func `is reported if a file is a link or a folder`() throws {
    let file = files[0]
    let other = folder.url.appending(path: "other")
    try FileManager.default.moveItem(at: file, to: other)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
    try expectDamage(.storeNotTrusted)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    try expectDamage(.storeNotTrusted)
  }

  @Test(arguments: [
    "{\"$file\":\"../../../../../../../../etc/passwd\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"/etc/passwd\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\",\"bytes\":0,\"crc32c\":\"00000000\"}", "{\"$file\":", "text", "",
  ])
  func `is reported if a row has an invalid reference`(reference: String) throws {
    try folder.run("UPDATE Picture SET photo = \(SQLText.literal(reference))")
    #expect(throws: DataStoreError.storeDamaged) { try store.pictures() }
    let filter = QueryExpression.compare(
      .equal,
      .property(.element(0), "photo"),
      .constant(FileSample.data(200, 1))
    )
    // Such a string is not equal to any data.
    #expect(try store.count(StoreQuery(entity: "Picture", filter: filter)) == 0)
    // The files that the rows name are not removed with them.
    _ = try store.apply(StoreChanges(deleted: rows))
    #expect(folder.valueFiles.count == 2)
  }

  @Test func `is reported if a reference names a file of another size`() throws {
    let name = try #require(folder.valueFiles.first)
    let reference = "{\"$file\":\"\(name)\",\"bytes\":9000000000000,\"crc32c\":\"00000000\"}"
    try folder.run("UPDATE Picture SET photo = \(SQLText.literal(reference))")
    try expectDamage(file: name)
  }

  @Test func `is refused if the folder is a link`() throws {
    let other = folder.path("elsewhere")
    try FileManager.default.moveItem(atPath: folder.path("a.db.files"), toPath: other)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("a.db.files"),
      withDestinationPath: other
    )
    #expect(throws: DataStoreError.storeNotTrusted) {
      try SQLiteStore.withFiles(folder.path("a.db"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: other).count == 2)
  }

  @Test(arguments: [true, false])
  func `is reported at opening if the folder is missing`(allowsSave: Bool) throws {
    try store.close()
    try FileManager.default.removeItem(atPath: folder.path("a.db.files"))
    let open = { try SQLiteStore.withFiles(folder.path("a.db"), allowsSave: allowsSave) }
    let error = #expect(throws: DataStoreError.self) { try open() }
    #expect(error == .storeDamaged && error?.file?.hasSuffix("a.db.files") == true)
    // As the error says, an empty folder opens the store without the values.
    try FileManager.default.createDirectory(
      atPath: folder.path("a.db.files"),
      withIntermediateDirectories: false
    )
    #expect(try open().count(StoreQuery(entity: "Picture")) == 2)
  }

  @Test func `does not include a missing folder if no row needs it`() throws {
    _ = try store.apply(StoreChanges(deleted: rows))
    try store.close()
    try FileManager.default.removeItem(atPath: folder.path("a.db.files"))
    #expect(try SQLiteStore.withFiles(folder.path("a.db")).pictures().isEmpty)
  }

  @Test func `does not include foreign files, which are kept`() throws {
    let own = store.newValueFileName()
    let foreign = [
      String(repeating: "a", count: 32), "README", store.newValueFileName(of: "other"),
    ]
    for name in foreign + [own] { try Data("precious".utf8).write(to: folder.valueFile(name)) }
    let read = try SQLiteStore.withFiles(folder.path("a.db"), allowsSave: false)
    #expect(folder.valueFiles.count == 6)
    // The store created the name, and no row has it: a killed save left the file.
    let again = try SQLiteStore.withFiles(folder.path("a.db"))
    #expect(folder.valueFiles.count == 5)
    #expect(!folder.valueFiles.contains(own))
    #expect(try again.pictures() == read.pictures())
    try again.compact()
    try again.erase()
    #expect(folder.valueFiles == foreign.sorted())
  }

  @Test func `is not caused by moving the folder while the store is open`() throws {
    let moved = folder.path("moved")
    let path = folder.path("a.db.files")
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    let large = FileSample.picture("c", ["photo": FileSample.data(200, 3)])
    for _ in 0..<2 { #expect(throws: DataStoreError.storeReplaced) { try store.insert([large]) } }
    // A row without files is saved.
    try store.insert([FileSample.picture("d")])
    try FileManager.default.moveItem(atPath: moved, toPath: path)
    try store.insert([large])
    #expect(folder.valueFiles.count == 3)
    #expect(try SQLiteStore.withFiles(folder.path("a.db")).pictures() == store.pictures())
  }
}
