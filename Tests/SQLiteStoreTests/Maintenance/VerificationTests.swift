import Foundation
import SQLiteStore
import StoreProtocol
import Testing

/// Damage by another program, and the problem that `verify()` must report.
struct Harm: CustomTestStringConvertible, Sendable {
  let sql: [String]
  let message: String
  let path: String

  var testDescription: String { sql.joined(separator: "; ") }

  init(_ sql: String..., finds message: String, at path: String = "") {
    (self.sql, self.message, self.path) = (sql, message, path)
  }

  /// The sample has the rows Values/1, Trip/2, PersonalTrip/3, Item/4 and Tag/5.
  static let all = [
    Harm(
      "UPDATE \"Values\" SET int64 = 'x'",
      finds: "not of the type int64",
      at: "Values.int64"
    ),
    Harm("UPDATE \"Values\" SET int8 = 300", finds: "the type int8", at: "Values.int8"),
    Harm("UPDATE \"Values\" SET uint64 = -1", finds: "the type uint64", at: "Values.uint64"),
    Harm("UPDATE \"Values\" SET bool = 2", finds: "the type bool", at: "Values.bool"),
    Harm("UPDATE \"Values\" SET uuid = 'no'", finds: "the type uuid", at: "Values.uuid"),
    Harm("UPDATE \"Values\" SET codable = '{'", finds: "the type codable", at: "Values.codable"),
    Harm("UPDATE \"Values\" SET url = ''", finds: "the type url", at: "Values.url"),
    Harm(
      "UPDATE \"Values\" SET string = CAST(x'ff' AS TEXT)",
      finds: "the type string",
      at: "Values.string"
    ),
    Harm(
      "UPDATE \"Values\" SET string = 'e' || char(769)",
      finds: "the entry inexact:Values.string is missing",
      at: "Values.string"
    ),
    Harm("UPDATE Item SET trip = 99", finds: "refers to Trip/99", at: "Item.trip"),
    Harm("UPDATE Trip SET next = 4 WHERE _key = 2", finds: "refers to Trip/4", at: "Trip.next"),
    Harm(
      "UPDATE Trip SET items = '[1, \"x\"]' WHERE _key = 2",
      finds: "not contain a list of keys",
      at: "Trip.items"
    ),
    Harm("UPDATE Trip SET _entity = 'Nobody' WHERE _key = 3", finds: "the schema lacks"),
    Harm("UPDATE Item SET _version = 99", finds: "is 99, but the last save number is 1"),
    Harm("UPDATE Item SET _version = 'x'", finds: "not a save number"),
    Harm(
      "UPDATE OpenSwiftData SET value = 5 WHERE key = 'nextKey'",
      finds: "would be assigned again: the next key is 5"
    ),
    Harm("UPDATE Item SET _key = -4", finds: "not a key of the store"),
    Harm(
      "INSERT INTO \"Trip.tags\" VALUES (2, 9, 77)",
      finds: "refers to Tag/77",
      at: "Trip.tags"
    ),
    Harm(
      "INSERT INTO \"Tag.trips\" VALUES (66, 0, 2)",
      finds: "refers to the row 66",
      at: "Tag.trips"
    ),
    Harm(
      "UPDATE OpenSwiftData SET value = 'x' WHERE key = 'fingerprint'",
      finds: "does not match the schema"
    ),
    Harm("DELETE FROM OpenSwiftData WHERE key = 'nextKey'", finds: "own table is incomplete"),
    Harm(
      "CREATE TRIGGER t AFTER INSERT ON Item BEGIN SELECT 1; END",
      finds: "a trigger t that the store did not create"
    ),
    Harm(
      "INSERT INTO OpenSwiftData VALUES ('inexact:Tag.name', 1)",
      "INSERT INTO Tag(_key, name) VALUES (3, char(233)), (2, 'e' || char(769))",
      finds: "has the same unique values",
      at: "Tag.name"
    ),
  ]
}

@Suite("Verifying a store")
struct VerificationTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try .inFile(folder.path("a.db"))
    try Self.fill(store)
  }

  static func fill(_ store: SQLiteStore) throws {
    let trip = DefaultSnapshot.new(SampleSchema.trip, ["name": .string("a"), "days": .integer(1)])
    try store.insert([
      .new(SampleSchema.values, ["string": .string("x"), "url": .string("https://swift.org")]),
      trip,
      .new(SampleSchema.personalTrip, ["next": .identifier(trip.persistentIdentifier)]),
      .new(SampleSchema.item, ["trip": .identifier(trip.persistentIdentifier)]),
      .new(
        SampleSchema.tag,
        ["name": .string("t"), "trips": .identifiers([trip.persistentIdentifier])]
      ),
    ])
  }

  private func harm(_ statements: [String]) throws {
    try SQLiteStore.harm(folder.path("a.db"), statements)
  }

  @Test func `finds no problems in an intact store, and changes nothing`() throws {
    let before = try folder.contents()
    #expect(try store.verify() == [])
    #expect(try folder.contents() == before)
  }

  @Test func `finds no problems in a store in memory, a read-only store and an empty store`() throws
  {
    let memory = try SQLiteStore.inMemory()
    #expect(try memory.verify() == [])
    try Self.fill(memory)
    #expect(try memory.verify() == [])
    let reading = try SQLiteStore.inFile(folder.path("a.db"), nil, allowsSave: false)
    #expect(try reading.verify() == [])
  }

  @Test func `finds no problems with values that SQL compares differently`() throws {
    try store.insert([
      .new(
        SampleSchema.values,
        [
          "string": .string("e\u{301}"), "double": .double(-0.0), "float": .double(.nan),
          "uint64": .unsigned(.max), "date": .date(Date(timeIntervalSinceReferenceDate: .nan)),
        ]
      ),
      .new(SampleSchema.tag, ["name": .string("e\u{301}")]),
    ])
    #expect(try store.verify() == [])
  }

  @Test(arguments: Harm.all)
  func `reports damage by another program, and its location`(harm: Harm) throws {
    try self.harm(harm.sql)
    let problems = try store.verify()
    let found = problems.first { $0.message.contains(harm.message) }
    let problem = try #require(found, "\(problems)")
    let path = [problem.entity, problem.property].compactMap(\.self).joined(separator: ".")
    if !harm.path.isEmpty { #expect(path == harm.path) }
  }

  @Test func `reports only required values that are missing`() throws {
    let entity = StoreEntity(
      name: "Thing",
      properties: [
        SampleSchema.attribute("needed", .string, isOptional: false),
        SampleSchema.attribute("free", .string),
      ]
    )
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [entity]))
    try store.insert([.new(entity, ["needed": .string("a")]), .new(entity)])
    let problems = try store.verify()
    #expect(problems.map(\.property) == ["needed"])
    #expect(problems.map(\.identifier?.integerKey) == [2])
  }

  @Test func `limits the number of reported problems`() throws {
    try store.insert((0..<1_500).map { _ in .new(SampleSchema.item) })
    try harm(["UPDATE Item SET trip = 99"])
    let problems = try store.verify()
    #expect(problems.count == SQLiteStore.mostProblems + 1)
    #expect(problems.last?.message.contains("may be more") == true)
  }

  @Test func `is refused if another process has changed the schema`() throws {
    let extra = StoreEntity(name: "Extra", properties: [SampleSchema.attribute("a", .string)])
    _ = try SQLiteStore.inFile(
      folder.path("a.db"),
      StoreSchema(entities: SampleSchema.store.entities + [extra])
    )
    #expect(throws: DataStoreError.schemaMismatch) { try store.verify() }
  }
}

@Suite("Verifying a damaged file")
struct DamagedFileVerificationTests {
  @Test func `ends with problems or a typed error for damage to any page`() throws {
    let folder = try TemporaryFolder()
    try VerificationTests.fill(try .inFile(folder.path("a.db")))
    let whole = try Data(contentsOf: folder.url.appending(path: "a.db"))
    let path = folder.path("b.db")
    for page in 0..<whole.count / 4_096 {
      var damaged = whole
      let start = page * 4_096 + (page == 0 ? 100 : 0)
      damaged.replaceSubrange(start..<start + 64, with: Data(repeating: 0xAA, count: 64))
      try damaged.write(to: URL(filePath: path))
      do {
        let store = try SQLiteStore.inFile(path, nil, allowsSave: false)
        #expect(try !store.verify().isEmpty, "page \(page)")
      } catch {
        #expect(error is DataStoreError, "page \(page): \(error)")
      }
    }
  }

  @Test(arguments: ["gone", "shorter", "another", "linked"])
  func `reports a value's file that differs from the saved one`(harm: String) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.withFiles(folder.path("a.db"))
    try store.insert([FileSample.picture("p", ["photo": FileSample.data(300)])])
    #expect(try store.verify() == [])
    let file = folder.valueFile(try #require(folder.valueFiles.first))
    if harm != "another" { try FileManager.default.removeItem(at: file) }
    switch harm {
    case "shorter": try Data(repeating: 7, count: 299).write(to: file)
    case "another": try Data(repeating: 8, count: 300).write(to: file)
    case "linked":
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.url)
    default: break
    }
    let problems = try store.verify()
    #expect(problems.map(\.property) == ["photo"])
    #expect(problems.first?.file?.hasSuffix(file.lastPathComponent) == true)
  }

  @Test func `accepts files without a row, and reports a missing marker`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.withFiles(folder.path("a.db"))
    try store.insert([FileSample.picture("p", ["photo": FileSample.data(300)])])
    let orphan = String(repeating: "0", count: 32)
    try Data("x".utf8).write(to: folder.valueFile(orphan))
    #expect(try store.verify() == [])
    try folder.run("UPDATE Picture SET small = photo")
    #expect(try store.verify().map(\.message).contains { $0.contains("files:Picture.small") })
  }
}

extension TemporaryFolder {
  /// Returns the contents of every file by its name.
  func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
      // The index of a log is shared memory of the connections.
      if name.hasSuffix("-shm") { continue }
      found[name] = (try? Data(contentsOf: url.appending(path: name))) ?? Data()
    }
    return found
  }

  /// Returns the names of all files, including those in subfolders.
  func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
  }
}
