import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A schema that changes which values are in files")
struct ExternalSchemaTests {
  private let folder: TemporaryFolder
  private let photos = [FileSample.data(200, 1), FileSample.data(200, 2), FileSample.data(9, 3)]

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ schema: StoreSchema) throws -> SQLiteStore {
    try SQLiteStore.withFiles(folder.path("a.db"), schema)
  }

  private func fill(_ schema: StoreSchema) throws {
    try open(schema).insert(
      photos.enumerated().map { number, photo in
        FileSample.picture(
          "\(number)",
          ["photo": photo, "notes": .string(String(repeating: "\(number)", count: 150))]
        )
      }
    )
  }

  private func photosOf(_ store: SQLiteStore) throws -> [StoreValue?] {
    try store.pictures().map { $0["photo"] }
  }

  private func count(_ value: StoreValue, _ store: SQLiteStore) throws -> Int {
    let photo = QueryExpression.property(.element(0), "photo")
    let filter = QueryExpression.compare(.equal, photo, .constant(value))
    return try store.count(StoreQuery(entity: "Picture", filter: filter))
  }

  @Test func `by adding the option moves values when they are next written`() throws {
    try fill(FileSample.schema(options: []))
    #expect(folder.valueFiles == [])
    let store = try open(FileSample.schema)
    #expect(folder.valueFiles == [])
    #expect(try photosOf(store) == photos)
    let row = try store.pictures()[1].persistentIdentifier
    try store.update(row, ["photo": photos[1]])
    #expect(folder.valueFiles.count == 1)
    #expect(try photosOf(store) == photos)
    #expect(try count(photos[0], store) == 1)
    #expect(try count(photos[1], store) == 1)
  }

  @Test func `by removing the option reads files, and moves values when they are next written`()
    throws
  {
    try fill(FileSample.schema)
    #expect(folder.valueFiles.count == 5)
    let store = try open(FileSample.schema(options: []))
    #expect(try photosOf(store) == photos)
    #expect(try count(photos[0], store) == 1)
    let row = try store.pictures()[0].persistentIdentifier
    try store.update(row, ["photo": photos[1]])
    #expect(folder.valueFiles.count == 4)
    #expect(try photosOf(store) == [photos[1], photos[1], photos[2]])
    #expect(try count(photos[1], store) == 2)
    _ = try store.apply(StoreChanges(deleted: [row]))
    #expect(folder.valueFiles.count == 3)
    _ = try open(FileSample.schema(options: []))
    #expect(folder.valueFiles.count == 3)
  }

  @Test func `by an index or a constraint moves the values into their rows`() throws {
    try fill(FileSample.schema)
    let store = try open(
      FileSample.schema(
        options: ["externalStorage"],
        indices: [["notes"]],
        unique: [["name"], ["photo"]]
      )
    )
    #expect(folder.valueFiles == [])
    #expect(try photosOf(store) == photos)
    #expect(try folder.text("SELECT count(*) FROM Picture WHERE typeof(photo) = 'blob'") == "3")
    let row = try store.pictures()[0].persistentIdentifier
    let same = try store.insert([FileSample.picture("0", ["photo": photos[0]])])
    #expect(same == [row])
    #expect(folder.valueFiles == [])
    #expect(try folder.text("SELECT count(*) FROM OpenSwiftData WHERE key LIKE 'files:%'") == "0")
  }

  @Test func `by a full-text index moves strings into their rows`() throws {
    try fill(FileSample.schema)
    let store = try open(FileSample.schema(options: ["externalStorage", "fullText"]))
    #expect(folder.valueFiles.count == 2)
    #expect(try folder.text("SELECT count(*) FROM Picture WHERE typeof(notes) = 'text'") == "3")
    try store.insert([
      FileSample.picture("9", ["notes": .string(String(repeating: "word ", count: 90))])
    ])
    #expect(folder.valueFiles.count == 2)
  }
}
