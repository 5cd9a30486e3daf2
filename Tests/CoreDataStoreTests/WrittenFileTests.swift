import CoreDataFiles
import CoreDataStore
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

@Suite("Files in Core Data's format")
struct WrittenFileTests {
  private typealias Sample = SampleModel

  private func open(
    _ file: SourceFile,
    _ change: (inout CoreDataStoreConfiguration) -> Void = { _ in }
  ) throws -> CoreDataStore {
    var configuration = CoreDataStoreConfiguration(url: file.url)
    change(&configuration)
    return try CoreDataStore(configuration)
  }

  @Test func `every type of attribute is read`() throws {
    let types: [(String, ManagedModel.AttributeType)] = [
      ("small", .integer16), ("medium", .integer32), ("large", .integer64), ("amount", .decimal),
      ("ratio", .double), ("short", .float), ("name", .string), ("flag", .boolean), ("at", .date),
      ("bytes", .binary), ("id", .uuid), ("link", .uri),
    ]
    let attributes = types.map { name, type in Sample.attribute(name, type) { $0.isOptional = true }
    }
    let id = UUID()
    let idBytes = withUnsafeBytes(of: id.uuid) { SourceFile.literal([UInt8]($0)) }
    let file = try SourceFile(
      ManagedModel(entities: [SampleModel.entity("Thing", attributes)]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSMALL INTEGER,
        ZMEDIUM INTEGER, ZLARGE INTEGER, ZFLAG INTEGER, ZRATIO FLOAT, ZSHORT FLOAT, ZAT TIMESTAMP,
        ZAMOUNT DECIMAL, ZNAME VARCHAR, ZLINK VARCHAR, ZID BLOB, ZBYTES BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, -7, 70000, 9007199254740993, 1, 0.5, 0.25, 12, '3.133',
        'a', 'https://example.org', \(idBytes), x'0102');
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZAT, ZAMOUNT) VALUES (2, 1, 1, 12.5, '12345678901234567890.5');
      """
    )
    let rows = try open(file).fetch(StoreQuery(entity: "Thing"))
    let expected: [(String, StoreValue)] = [
      ("small", .integer(-7)), ("medium", .integer(70_000)),
      ("large", .integer(9_007_199_254_740_993)),
      ("amount", .decimal(Decimal(string: "3.133") ?? 0)), ("ratio", .double(0.5)),
      ("short", .double(0.25)),
      ("name", .string("a")), ("flag", .bool(true)),
      ("at", .date(Date(timeIntervalSinceReferenceDate: 12))),
      ("bytes", .data(Data([1, 2]))), ("id", .uuid(id)), ("link", .string("https://example.org")),
    ]
    for (name, value) in expected { #expect(rows.first?[name] == value, "\(name)") }
    #expect(rows.last?["at"] == .date(Date(timeIntervalSinceReferenceDate: 12.5)))
    for name in ["small", "name", "id", "bytes", "flag"] { #expect(rows.last?[name] == .null) }
  }

  @Test func `a hierarchy in one table has the columns of each entity`() throws {
    let store = try open(SourceFile.hierarchy())
    let people = try store.fetch(StoreQuery(entity: "Person"))
    #expect(people.map(\.persistentIdentifier.entityName) == ["Author", "Critic"])
    #expect(people.map { $0["name"] } == [.string("Ada"), .string("Ben")])
    #expect(people.map { $0["title"] } == [.string("Countess"), .string("Sir")])
    #expect(try store.count(StoreQuery(entity: "Critic")) == 1)
    #expect(try store.count(StoreQuery(entity: "Person", includesSubentities: false)) == 0)
  }

  @Test func `duplicate column names are numbered by column type, then by entity`() {
    let author = SampleModel.entity("Author", [Sample.attribute("mark", .string)])
    let critic = SampleModel.entity("Critic", [Sample.attribute("mark", .integer16)])
    func column(_ entity: ManagedModel.Entity) -> String? {
      CoreDataStore.column(of: 0, in: entity, among: [(author, 1), (critic, 2)])
    }
    #expect(column(author) == "ZMARK1" && column(critic) == "ZMARK")
  }

  @Test func `a subentity that a migration renamed keeps its old name in Z_PRIMARYKEY`() throws {
    var model = SourceFile.hierarchyModel
    for index in model.entities.indices where model.entities[index].name == "Critic" {
      model.entities[index].originalName = "Reviewer"
    }
    let file = try SourceFile.hierarchy(model)
    try file.run("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Reviewer' WHERE Z_NAME = 'Critic'")
    let store = try open(file) { $0.keepsURIs = true }
    let critics = try store.fetch(StoreQuery(entity: "Critic"))
    #expect(critics.map { $0["name"] } == [.string("Ben")])
    #expect(
      critics.map { $0["coreDataURI"] }
        == [.string("x-coredata://C0FFEE00-0000-4000-8000-000000000000/Critic/p2")]
    )
    // With another name in Z_PRIMARYKEY, the model does not match.
    try file.run("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Visitor' WHERE Z_NAME = 'Reviewer'")
    let error = #expect(throws: DataStoreError.self) { try open(file) }
    #expect(error == .storeDamaged && error?.entity == "Critic")
  }

  @Test func `references have the entity of their target`() throws {
    let store = try open(SourceFile.hierarchy())
    let books = try store.fetch(StoreQuery(entity: "Book"))
    let owners = books.map { book -> String in
      if case .identifier(let owner)? = book["owner"] { return owner.entityName }
      return "-"
    }
    #expect(owners == ["Critic", "-", "Author", "-"])
    let people = try store.fetch(StoreQuery(entity: "Person"))
    #expect(books[0]["owner"] == .identifier(people[1].persistentIdentifier))
  }

  @Test func `related objects are found from either end`() throws {
    let store = try open(SourceFile.hierarchy())
    let books = try store.fetch(StoreQuery(entity: "Book"))
    let pages = try store.identifiers(StoreQuery(entity: "Page"))
    let people = try store.fetch(StoreQuery(entity: "Person"))
    // Ordered by position; rows without a position are last.
    #expect(
      people[0]["books"]
        == .identifiers([books[1], books[0], books[2]].map(\.persistentIdentifier))
    )
    // Without an inverse, the related rows have the owner's key.
    #expect(
      books.map { $0["pages"] } == [
        .identifiers([pages[1]]), .identifiers([pages[0], pages[2]]), .identifiers([]),
        .identifiers([]),
      ]
    )
    // Many to many, from both ends. Each column has the keys of its relationship's destination.
    let (ada, ben) = (people[0].persistentIdentifier, people[1].persistentIdentifier)
    #expect(people.map { $0["friends"] } == [.identifiers([ben]), .identifiers([ben])])
    #expect(people.map { $0["friendOf"] } == [.identifiers([]), .identifiers([ada, ben])])
  }

  @Test func `filters, orders and windows return the matching rows`() throws {
    let store = try open(SourceFile.hierarchy())
    let query = StoreQuery(
      entity: "Book",
      filter: .compare(.notEqual, .property(.element(0), "title"), .constant(.string("lost"))),
      sort: [QuerySort(property: "title", isReversed: true)],
      limit: 2
    )
    #expect(try store.fetch(query).map { $0["title"] } == [.string("nowhere"), .string("last")])
    var window = StoreQuery(entity: "Book")
    window.offset = 1
    window.limit = 2
    #expect(try store.fetch(window).map { $0["title"] } == [.string("first"), .string("nowhere")])
    #expect(try store.count(window) == 2)
  }

  @Test func `a reference to a missing row throws, or is omitted`() throws {
    let file = try SourceFile.hierarchy()
    try file.run("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 4")
    let error = #expect(throws: DataStoreError.self) {
      try open(file).fetch(StoreQuery(entity: "Book"))
    }
    #expect(error == .invalidValue && error?.entity == "Book" && error?.property == "author")
    let store = try open(file) { $0.unreadableValues = .omit }
    #expect(try store.fetch(StoreQuery(entity: "Book")).last?["author"] == .null)
    #expect(store.unreadableValues.map(\.reason) == ["it refers to row 77, which is missing"])
  }

  @Test func `enumerations, structures and arrays of SwiftData are read`() throws {
    let file = try SourceFile.things()
    let store = try open(file)
    let rows = try store.fetch(StoreQuery(entity: "Thing"))
    #expect(rows[0]["ice"] == .string("cubes"))
    #expect(rows[0]["mood"] == .composite([.init("calm", .composite([]))]))
    // 'id' precedes 'place', so the number is added to the column of the structure's element.
    #expect(rows.map { $0["id"] } == [.integer(5), .integer(6)])
    #expect(
      rows[0]["place"]
        == .composite([
          .init("id", .integer(7)),
          .init(
            "tags",
            .array([
              .composite([.init("k", .integer(1))]),
              .composite([.init("k", .integer(2)), .init("l", .string("m"))]),
            ])
          ),
        ])
    )
    #expect(rows[0]["words"] == .array([.string("a"), .string("b")]))
    for name in ["ice", "mood", "place", "words"] { #expect(rows[1][name] == .null) }
    let types = store.schema.storeSchema.entities[0].properties.map(\.attributeType)
    #expect(types.contains(.string) && types.filter { $0 == .codable }.count == 3)
  }

  @Test func `values in external files are read, and missing files throw or are omitted`() throws {
    let file = try SourceFile.photographs()
    let error = #expect(throws: DataStoreError.self) {
      try open(file).fetch(StoreQuery(entity: "Thing"))
    }
    #expect(error?.message.contains(SourceFile.externalName) == true && error?.property == "photo")
    let store = try open(file) { $0.unreadableValues = .omit }
    #expect(
      try store.fetch(StoreQuery(entity: "Thing")).map { $0["photo"] } == [
        .data(Data([7, 8])), .null,
      ]
    )
    #expect(store.unreadableValues.count == 1)
    try file.writeExternalFile(Data([9, 9]))
    #expect(
      try open(file).fetch(StoreQuery(entity: "Thing")).map { $0["photo"] }
        == [.data(Data([7, 8])), .data(Data([9, 9]))]
    )
  }

  @Test func `an interrupted save is rolled back in the copy`() throws {
    let source = try SourceFile.hierarchy()
    let file = try SourceFile.hierarchy()
    let journal = URL(filePath: file.url.path + "-journal")
    // A small cache writes pages before the commit; the journal has their previous contents.
    try source.run(
      """
      PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = 1; BEGIN;
      UPDATE ZBOOK SET ZTITLE = 'torn'; UPDATE ZPERSON SET ZNAME = hex(zeroblob(100000));
      """
    ) {
      try FileManager.default.removeItem(at: file.url)
      try FileManager.default.copyItem(at: source.url, to: file.url)
      try FileManager.default.copyItem(atPath: source.url.path + "-journal", toPath: journal.path)
    }
    let before = try file.bytes()
    #expect(before.count == 2)
    let titles = try open(file).fetch(StoreQuery(entity: "Book")).map { $0["title"] }
    #expect(titles == ["last", "first", "nowhere", "lost"].map { .string($0) })
    #expect(try file.bytes() == before)
    let error = #expect(throws: DataStoreError.self) { try open(file) { $0.isInPlace = true } }
    #expect(error == .invalidConfiguration)
    // Without the journal, the rows of the interrupted save are read.
    try FileManager.default.removeItem(at: journal)
    let torn = try open(file).fetch(StoreQuery(entity: "Book")).first
    #expect(torn?["title"] == .string("torn"))
  }

  @Test func `reading in place changes no file and refuses a write-ahead log`() throws {
    let file = try SourceFile(copying: "plaso-DataUsage")
    let before = try file.bytes()
    let store = try open(file) { $0.isInPlace = true }
    #expect(try store.count(StoreQuery(entity: "Process")) == 371)
    #expect(try file.bytes() == before)
    let logged = try SourceFile(copying: "ddg-Bookmarks_V1")
    #expect(throws: DataStoreError.invalidConfiguration) {
      try open(logged) { $0.isInPlace = true }
    }
  }

  @Test func `files that are not Core Data stores are refused, and links are followed`() throws {
    let folder = try SourceFile(copying: "plaso-DataUsage")
    let text = folder.folder.file("text.sqlite")
    try Data("no database".utf8).write(to: text)
    #expect(throws: DataStoreError.storeDamaged) { try CoreDataStore(.init(url: text)) }
    #expect(throws: DataStoreError.storeNotFound) {
      try CoreDataStore(.init(url: folder.folder.file("none")))
    }
    let link = folder.folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    #expect(try CoreDataStore(.init(url: link)).count(StoreQuery(entity: "Process")) == 371)
    let other = try SourceFile(ManagedModel(entities: []), "DROP TABLE Z_PRIMARYKEY")
    #expect(throws: DataStoreError.storeNotTrusted) { try CoreDataStore(.init(url: other.url)) }
  }

  @Test func `names that contain SQL are escaped`() throws {
    let name = "x\"); DROP TABLE Z_METADATA; --"
    let thing = SampleModel.entity(
      "Thing",
      [Sample.attribute(name, .string) { $0.isOptional = true }]
    )
    let column = ("Z" + name.uppercased()).replacing("\"", with: "\"\"")
    let file = try SourceFile(
      ManagedModel(entities: [thing]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "\(column)" VARCHAR);
      INSERT INTO ZTHING VALUES (1, 1, 1, 'safe');
      """
    )
    #expect(try open(file).fetch(StoreQuery(entity: "Thing")).first?[name] == .string("safe"))
  }
}
