import CoreDataFiles
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

@testable import CoreDataStore

@Suite("Files written as Core Data writes them")
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

  private func entity(
    _ name: String,
    _ attributes: [ManagedModel.Attribute],
    _ relationships: [ManagedModel.Relationship] = [],
    _ change: (inout ManagedModel.Entity) -> Void = { _ in }
  ) -> ManagedModel.Entity {
    var entity = ManagedModel.Entity(name: name)
    entity.attributes = attributes
    entity.relationships = relationships
    change(&entity)
    return entity
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
      ManagedModel(entities: [entity("Thing", attributes)]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSMALL INTEGER,
        ZMEDIUM INTEGER, ZLARGE INTEGER, ZFLAG INTEGER, ZRATIO FLOAT, ZSHORT FLOAT, ZAT TIMESTAMP,
        ZAMOUNT DECIMAL, ZNAME VARCHAR, ZLINK VARCHAR, ZID BLOB, ZBYTES BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, -7, 70000, 9007199254740993, 1, 0.5, 0.25, 12, '0.1',
        'a', 'https://example.org', \(idBytes), x'0102');
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZAT, ZAMOUNT) VALUES (2, 1, 1, 12.5, '12345678901234567890.5');
      """
    )
    let rows = try open(file).fetch(StoreQuery(entity: "Thing"))
    let expected: [(String, StoreValue)] = [
      ("small", .integer(-7)), ("medium", .integer(70_000)),
      ("large", .integer(9_007_199_254_740_993)),
      ("amount", .decimal(Decimal(string: "0.1") ?? 0)), ("ratio", .double(0.5)),
      ("short", .double(0.25)),
      ("name", .string("a")), ("flag", .bool(true)),
      ("at", .date(Date(timeIntervalSinceReferenceDate: 12))),
      ("bytes", .data(Data([1, 2]))), ("id", .uuid(id)), ("link", .string("https://example.org")),
    ]
    for (name, value) in expected { #expect(rows.first?[name] == value, "\(name)") }
    #expect(rows.last?["at"] == .date(Date(timeIntervalSinceReferenceDate: 12.5)))
    for name in ["small", "name", "id", "bytes", "flag"] { #expect(rows.last?[name] == .null) }
  }

  /// A hierarchy in which two siblings have properties of one name.
  private var hierarchy: ManagedModel {
    let person = entity(
      "Person",
      [Sample.attribute("name", .string)],
      [
        Sample.relationship("friends", "Person", inverse: "friendOf", isToMany: true),
        Sample.relationship("friendOf", "Person", inverse: "friends", isToMany: true),
      ]
    ) { $0.isAbstract = true }
    let author = entity(
      "Author",
      [Sample.attribute("title", .string) { $0.isOptional = true }],
      [
        Sample.relationship("books", "Book", inverse: "author", isToMany: true) {
          $0.isOrdered = true
        }
      ]
    ) { $0.superentity = "Person" }
    let critic = entity("Critic", [Sample.attribute("title", .string) { $0.isOptional = true }]) {
      $0.superentity = "Person"
    }
    let book = entity(
      "Book",
      [Sample.attribute("title", .string)],
      [
        Sample.relationship("author", "Author", inverse: "books") { $0.isOptional = true },
        Sample.relationship("owner", "Person") { $0.isOptional = true },
        Sample.relationship("pages", "Page", isToMany: true),
      ]
    )
    let page = entity("Page", [Sample.attribute("number", .integer16)])
    return ManagedModel(entities: [person, author, critic, book, page])
  }

  /// Book 1, Page 2, Person 3, Author 4, Critic 5.
  private func hierarchyFile() throws -> SourceFile {
    try SourceFile(
      hierarchy,
      """
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR,
        ZTITLE VARCHAR, ZTITLE1 VARCHAR);
      CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER,
        ZOWNER INTEGER, Z3_OWNER INTEGER, Z_FOK_AUTHOR INTEGER, ZTITLE VARCHAR);
      CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, Z1PAGES INTEGER);
      CREATE TABLE Z_3FRIENDS (Z_3FRIENDOF INTEGER, Z_3FRIENDS INTEGER, PRIMARY KEY (Z_3FRIENDOF, Z_3FRIENDS));
      INSERT INTO ZPERSON VALUES (1, 4, 1, 'Ada', 'Countess', 'ignored'), (2, 5, 1, 'Ben', 'ignored', 'Sir');
      INSERT INTO ZBOOK VALUES (1, 1, 1, 1, 2, 5, 3072, 'last'), (2, 1, 1, 1, NULL, NULL, 1024, 'first'),
        (3, 1, 1, 1, 1, 4, NULL, 'nowhere'), (4, 1, 1, NULL, NULL, NULL, NULL, 'lost');
      INSERT INTO ZPAGE VALUES (1, 2, 1, 10, 2), (2, 2, 1, 20, 1), (3, 2, 1, 30, 2), (4, 2, 1, 40, NULL);
      INSERT INTO Z_3FRIENDS VALUES (1, 2), (2, 2);
      """
    )
  }

  @Test func `a hierarchy in one table has the columns of each entity`() throws {
    let store = try open(hierarchyFile())
    let people = try store.fetch(StoreQuery(entity: "Person"))
    #expect(people.map(\.persistentIdentifier.entityName) == ["Author", "Critic"])
    #expect(people.map { $0["name"] } == [.string("Ada"), .string("Ben")])
    #expect(people.map { $0["title"] } == [.string("Countess"), .string("Sir")])
    #expect(try store.count(StoreQuery(entity: "Critic")) == 1)
    #expect(try store.count(StoreQuery(entity: "Person", includesSubentities: false)) == 0)
  }

  @Test func `references name the entity of their target`() throws {
    let store = try open(hierarchyFile())
    let books = try store.fetch(StoreQuery(entity: "Book"))
    let owners = books.map { book -> String in
      if case .identifier(let owner)? = book["owner"] { return owner.entityName }
      return "-"
    }
    #expect(owners == ["Critic", "-", "Author", "-"])
    let people = try store.fetch(StoreQuery(entity: "Person"))
    #expect(books[0]["owner"] == .identifier(people[1].persistentIdentifier))
  }

  @Test func `related objects are found whichever end keeps them`() throws {
    let store = try open(hierarchyFile())
    let books = try store.fetch(StoreQuery(entity: "Book"))
    let pages = try store.identifiers(StoreQuery(entity: "Page"))
    let people = try store.fetch(StoreQuery(entity: "Person"))
    // Ordered by position, without one at the end.
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

  @Test func `filters, orders and windows are answered`() throws {
    let store = try open(hierarchyFile())
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

  @Test func `a reference to a missing row is told, or left out`() throws {
    let file = try hierarchyFile()
    try file.run("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 4")
    let error = #expect(throws: DataStoreError.self) {
      try open(file).fetch(StoreQuery(entity: "Book"))
    }
    #expect(error?.code == .invalidValue && error?.entity == "Book" && error?.property == "author")
    let store = try open(file) { $0.unreadableValues = .omit }
    #expect(try store.fetch(StoreQuery(entity: "Book")).last?["author"] == .null)
    #expect(store.unreadableValues.map(\.reason) == ["it refers to row 77, which is missing"])
  }

  @Test func `enumerations, structures and arrays of SwiftData are read`() throws {
    let thing = entity(
      "Thing",
      [
        Sample.attribute("ice", .composite) {
          $0.isOptional = true
          $0.isEnumeration = true
          $0.elements = [Sample.attribute("ice", .string)]
        },
        Sample.attribute("mood", .composite) {
          $0.isOptional = true
          $0.isEnumeration = true
          $0.cases = ["calm", "busy"]
          $0.elements = [Sample.attribute("busy", .string), Sample.attribute("calm", .string)]
        },
        Sample.attribute("place", .composite) {
          $0.isOptional = true
          $0.elements = [
            Sample.attribute("id", .integer32) { $0.isOptional = true },
            Sample.attribute("tags", .binary) { $0.isOptional = true },
          ]
        },
        Sample.attribute("id", .integer64),
        Sample.attribute("words", .transformable) { $0.isOptional = true },
      ]
    )
    var archive = ArchiveWriter()
    let words = archive.add(array: [archive.add(.string("a")), archive.add(.string("b"))])
    let file = try SourceFile(
      ManagedModel(entities: [thing]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID INTEGER, ZID1 INTEGER,
        ZICE VARCHAR, ZBUSY VARCHAR, ZCALM VARCHAR, ZTAGS BLOB, ZWORDS BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, 5, 7, 'cubes', NULL, 'calm',
        CAST('["x",1,{"k":null}]' AS BLOB), \(SourceFile.literal(archive.bytes(root: words))));
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZID) VALUES (2, 1, 1, 6);
      """
    )
    let store = try open(file)
    let rows = try store.fetch(StoreQuery(entity: "Thing"))
    #expect(rows[0]["ice"] == .string("cubes"))
    #expect(rows[0]["mood"] == .composite([.init("calm", .composite([]))]))
    // 'id' comes before 'place', so that the element of the structure gets the number.
    #expect(rows.map { $0["id"] } == [.integer(5), .integer(6)])
    #expect(
      rows[0]["place"]
        == .composite([
          .init("id", .integer(7)),
          .init("tags", .array([.string("x"), .integer(1), .composite([.init("k", .null)])])),
        ])
    )
    #expect(rows[0]["words"] == .array([.string("a"), .string("b")]))
    for name in ["ice", "mood", "place", "words"] { #expect(rows[1][name] == .null) }
    let types = store.schema.storeSchema.entities[0].properties.map(\.attributeType)
    #expect(types.contains(.string) && types.filter { $0 == .codable }.count == 3)
  }

  @Test func `values in external files are read, and missing ones told`() throws {
    let thing = entity(
      "Thing",
      [
        Sample.attribute("photo", .binary) {
          $0.isOptional = true
          $0.allowsExternalStorage = true
        }
      ]
    )
    let name = "619F5BBC-799D-44E4-8B9F-49AC950CD416"
    let reference = SourceFile.literal([2] + [UInt8](name.utf8) + [0])
    let file = try SourceFile(
      ManagedModel(entities: [thing]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPHOTO BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, x'010708'), (2, 1, 1, \(reference));
      """
    )
    let error = #expect(throws: DataStoreError.self) {
      try open(file).fetch(StoreQuery(entity: "Thing"))
    }
    #expect(error?.message.contains(name) == true && error?.property == "photo")
    let store = try open(file) { $0.unreadableValues = .omit }
    #expect(
      try store.fetch(StoreQuery(entity: "Thing")).map { $0["photo"] } == [
        .data(Data([7, 8])), .null,
      ]
    )
    #expect(store.unreadableValues.count == 1)
    let folder = ExternalReference.folder(of: file.url)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data([9, 9]).write(to: folder.appending(path: name))
    #expect(
      try open(file).fetch(StoreQuery(entity: "Thing")).map { $0["photo"] }
        == [.data(Data([7, 8])), .data(Data([9, 9]))]
    )
  }

  @Test func `a file without a model is read by one that is named`() throws {
    let model = ManagedModel(entities: [entity("Thing", [Sample.attribute("name", .string)])])
    let file = try SourceFile(
      model,
      cache: false,
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO ZTHING VALUES (1, 1, 1, 'x');
      """
    )
    let error = #expect(throws: DataStoreError.self) { try open(file) }
    #expect(error?.code == .invalidConfiguration)
    try Data(ModelWriter.archive(model)).write(to: file.folder.file("Model.mom"))
    let store = try open(file) { $0.modelURL = file.folder.file("Model.mom") }
    #expect(try store.fetch(StoreQuery(entity: "Thing")).map { $0["name"] } == [.string("x")])
  }

  @Test func `reading in place copies nothing and refuses a log`() throws {
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

  @Test func `other files are refused`() throws {
    let folder = try SourceFile(copying: "plaso-DataUsage")
    let text = folder.folder.file("text.sqlite")
    try Data("no database".utf8).write(to: text)
    #expect(throws: DataStoreError.storeDamaged) { try CoreDataStore(.init(url: text)) }
    #expect(throws: DataStoreError.io) { try CoreDataStore(.init(url: folder.folder.file("none"))) }
    let link = folder.folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    #expect(throws: DataStoreError.storeNotTrusted) { try CoreDataStore(.init(url: link)) }
    let other = try SourceFile(ManagedModel(entities: []), "DROP TABLE Z_PRIMARYKEY")
    #expect(throws: DataStoreError.storeNotTrusted) { try CoreDataStore(.init(url: other.url)) }
  }

  @Test func `names that are SQL are names`() throws {
    let name = "x\"); DROP TABLE Z_METADATA; --"
    let thing = entity("Thing", [Sample.attribute(name, .string) { $0.isOptional = true }])
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
