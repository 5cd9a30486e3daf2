import CoreDataFiles
import CoreDataStore
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

@Suite("Variants of Core Data's files")
struct WrittenFormsTests {
  private typealias Sample = SampleModel

  /// Lists (1) and Songs (2) in a relationship that is ordered at both ends.
  private static let listModel = ManagedModel(entities: [
    SampleModel.entity(
      "List",
      [Sample.attribute("name", .string)],
      [
        Sample.relationship("songs", "Song", inverse: "lists", isToMany: true) {
          $0.isOrdered = true
        }
      ]
    ),
    SampleModel.entity(
      "Song",
      [Sample.attribute("name", .string)],
      [
        Sample.relationship("lists", "List", inverse: "songs", isToMany: true) {
          $0.isOrdered = true
        }
      ]
    ),
  ])

  private static let listRows = """
    CREATE TABLE ZLIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZSONG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    INSERT INTO ZLIST VALUES (1, 1, 1, 'one'), (2, 1, 1, 'two');
    INSERT INTO ZSONG VALUES (1, 2, 1, 'a'), (2, 2, 1, 'b'), (3, 2, 1, 'c');
    """

  @Test(
    arguments: [
      // Named after one end, after the other, and numbered because the names exist.
      ("Z_1SONGS", "Z_1LISTS", "Z_2SONGS"), ("Z_2LISTS", "Z_1LISTS", "Z_2SONGS"),
      ("Z_1SONGS1", "Z_1LISTS2", "Z_2SONGS1"),
    ]
  )
  func `a many-to-many relationship is ordered at both ends`(
    _ table: String,
    _ lists: String,
    _ songs: String
  ) async throws {
    let file = try SourceFile(
      Self.listModel,
      """
      \(Self.listRows)
      CREATE TABLE \(table) (\(lists) INTEGER, \(songs) INTEGER, Z_FOK_\(lists.dropFirst(2)) INTEGER,
        Z_FOK_\(songs.dropFirst(2)) INTEGER, PRIMARY KEY (\(lists), \(songs)));
      INSERT INTO \(table) VALUES (1, 1, 2048, 3072), (1, 2, 1024, 1024), (1, 3, NULL, 2048),
        (2, 1, 1024, 1024);
      """
    )
    let store = try CoreDataStore(.init(url: file.url))
    let lists = try store.fetch(StoreQuery(entity: "List"))
    let songs = try store.fetch(StoreQuery(entity: "Song"))
    let (own, other) = (songs.map(\.persistentIdentifier), lists.map(\.persistentIdentifier))
    #expect(
      lists.map { $0["songs"] } == [
        .identifiers([own[1], own[2], own[0]]), .identifiers([own[0]]),
      ]
    )
    #expect(
      songs.map { $0["lists"] } == [
        .identifiers([other[1], other[0]]), .identifiers([other[0]]), .identifiers([other[0]]),
      ]
    )
    for scheme in ["sqlite", "json"] {
      let copy = "\(scheme):\(file.folder.file("copy.\(scheme)").path)"
      let run = await ToolRun.storectl("import", "coredata:\(file.url.path)", copy)
      #expect(run.code == 0, "\(run.errors)")
      #expect(await ToolRun.storectl("diff", "coredata:\(file.url.path)", copy).code == 0)
    }
  }

  @Test func `related objects without positions are in the order of keys`() throws {
    let file = try SourceFile(
      Self.listModel,
      """
      \(Self.listRows)
      CREATE TABLE Z_1SONGS (Z_1LISTS INTEGER, Z_2SONGS INTEGER);
      INSERT INTO Z_1SONGS VALUES (1, 3), (1, 1), (2, 2);
      """
    )
    let store = try CoreDataStore(.init(url: file.url))
    let songs = try store.identifiers(StoreQuery(entity: "Song"))
    let lists = try store.fetch(StoreQuery(entity: "List"))
    #expect(
      lists.map { $0["songs"] } == [.identifiers([songs[0], songs[2]]), .identifiers([songs[1]])]
    )
  }

  @Test func `an entity reads its own columns if ALTER TABLE added them`() throws {
    let file = try SourceFile(
      SourceFile.hierarchyModel,
      """
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE1 VARCHAR);
      INSERT INTO ZPERSON VALUES (1, 4, 1, NULL), (2, 5, 1, 'Sir');
      ALTER TABLE ZPERSON ADD COLUMN ZNAME VARCHAR DEFAULT 'unnamed';
      ALTER TABLE ZPERSON ADD COLUMN ZTITLE VARCHAR DEFAULT 'of an author';
      CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
      INSERT INTO ZBOOK VALUES (1, 1, 1, 'x');
      ALTER TABLE ZBOOK ADD COLUMN ZAUTHOR INTEGER;
      ALTER TABLE ZBOOK ADD COLUMN Z_FOK_AUTHOR INTEGER;
      ALTER TABLE ZBOOK ADD COLUMN ZOWNER INTEGER;
      ALTER TABLE ZBOOK ADD COLUMN Z3_OWNER INTEGER;
      CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, Z1PAGES INTEGER);
      CREATE TABLE Z_3FRIENDS (Z_3FRIENDOF INTEGER, Z_3FRIENDS INTEGER);
      UPDATE ZBOOK SET ZOWNER = 2, Z3_OWNER = 5;
      """
    )
    let store = try CoreDataStore(.init(url: file.url))
    let people = try store.fetch(StoreQuery(entity: "Person"))
    #expect(people.map { $0["name"] } == [.string("unnamed"), .string("unnamed")])
    // The default is in the rows of both entities; each reads its own column.
    #expect(people.map { $0["title"] } == [.string("of an author"), .string("Sir")])
    let books = try store.fetch(StoreQuery(entity: "Book"))
    #expect(books.map { $0["owner"] } == [.identifier(people[1].persistentIdentifier)])
  }

  @Test func `a store without metadata is read, damaged metadata is refused`() throws {
    let file = try SourceFile.hierarchy()
    try file.run("UPDATE Z_METADATA SET Z_PLIST = NULL")
    let store = try CoreDataStore(.init(url: file.url))
    #expect(try store.count(StoreQuery(entity: "Book")) == 4)
    #expect(store.identifier == "C0FFEE00-0000-4000-8000-000000000000")
    try file.run("UPDATE Z_METADATA SET Z_PLIST = 'text'")
    #expect(throws: DataStoreError.storeDamaged) { try CoreDataStore(.init(url: file.url)) }
    try file.run("UPDATE Z_METADATA SET Z_UUID = NULL")
    #expect(throws: DataStoreError.storeDamaged) { try CoreDataStore(.init(url: file.url)) }
  }

  @Test func `rows of history and synchronization are skipped and reported`() async throws {
    let file = try SourceFile.hierarchy()
    try file.run(
      """
      INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2), (16002, 'TRANSACTION', 0, 1),
        (16003, 'TRANSACTIONSTRING', 0, 0);
      INSERT INTO ATRANSACTION VALUES (1, 700000000.5);
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
      INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL, NULL), (2, 16001, 1, 2, 1, 9, 1, x'80', x'00');
      INSERT INTO ANSCKEVENT VALUES (1), (2);
      CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZCKRECORDNAME VARCHAR, ZENTITYPK INTEGER);
      INSERT INTO ANSCKRECORDMETADATA VALUES (1, 'a name of a record', 1);
      """
    )
    let store = try CoreDataStore(.init(url: file.url))
    #expect(store.schema.storeSchema.entities.count == 5)
    let run = await ToolRun.storectl("import", "coredata:\(file.url.path)", "--dry-run")
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    for sentence in [
      "ACHANGE: 2 rows of the history", "ATRANSACTION: 1 rows of the history",
      "ANSCKEVENT: 2 rows of synchronization with CloudKit",
      "ANSCKRECORDMETADATA: 1 rows of synchronization with CloudKit",
    ] { #expect(run.output.contains(sentence), "\(run.output)") }
    #expect(!run.output.contains("a name of a record"))
  }

  @Test func `transformable values are read inline and from external files`() throws {
    let words = Sample.attribute("words", .transformable) {
      $0.isOptional = true
      $0.allowsExternalStorage = true
    }
    var archive = ArchiveWriter()
    let root = archive.add(array: [archive.add(.string("a"))])
    let bytes = archive.bytes(root: root)
    let reference = SourceFile.literal([2] + [UInt8](SourceFile.externalName.utf8) + [0])
    let file = try SourceFile(
      ManagedModel(entities: [SampleModel.entity("Thing", [words])]),
      """
      CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWORDS BLOB);
      INSERT INTO ZTHING VALUES (1, 1, 1, \(SourceFile.literal([1] + bytes))), (2, 1, 1, \(reference)),
        (3, 1, 1, \(SourceFile.literal(bytes)));
      """
    )
    try file.writeExternalFile(Data(bytes))
    let things = try CoreDataStore(.init(url: file.url)).fetch(StoreQuery(entity: "Thing"))
    let expected = StoreValue.array([.string("a")])
    #expect(things.map { $0["words"] } == [expected, expected, expected])
  }

  @Test func `references to missing rows in a list throw, or are omitted`() throws {
    let file = try SourceFile.hierarchy()
    try file.run("INSERT INTO Z_3FRIENDS VALUES (1, 55)")
    let error = #expect(throws: DataStoreError.self) {
      try CoreDataStore(.init(url: file.url)).fetch(StoreQuery(entity: "Author"))
    }
    #expect(error == .invalidValue && error?.property == "friends")
    var configuration = CoreDataStoreConfiguration(url: file.url)
    configuration.unreadableValues = .omit
    let store = try CoreDataStore(configuration)
    let author = try #require(try store.fetch(StoreQuery(entity: "Author")).first)
    let critics = try store.identifiers(StoreQuery(entity: "Critic"))
    #expect(critics.count == 1 && author["friends"] == .identifiers(critics))
    #expect(store.unreadableValues.map(\.kind) == [.dangling])
    #expect(store.unreadableValues.map(\.reason) == ["it refers to row 55, which is missing"])
  }

  @Test func `indexes of expressions and of unstored properties are left out`() async throws {
    let list = SampleModel.entity(
      "List",
      [
        Sample.attribute("name", .string),
        Sample.attribute("draft", .string) { $0.isTransient = true },
      ]
    ) { $0.indices = [["name"], ["byLength"], ["name", "byLength"], ["draft"], ["", "name"]] }
    let file = try SourceFile(
      ManagedModel(entities: [list]),
      """
      CREATE TABLE ZLIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE INDEX Z_List_byLength ON ZLIST (length(ZNAME));
      INSERT INTO ZLIST VALUES (1, 1, 1, 'one');
      """
    )
    let address = "coredata:\(file.url.path)"
    #expect(
      try CoreDataStore(.init(url: file.url)).schema.storeSchema.entities[0].indices == [["name"]]
    )
    for scheme in ["sqlite", "json"] {
      let copy = "\(scheme):\(file.folder.file("copy.\(scheme)").path)"
      let run = await ToolRun.storectl("copy", address, copy)
      #expect(run.code == 0, "\(run.errors)")
      #expect(await ToolRun.storectl("diff", address, copy).code == 0)
    }
    #expect(await ToolRun.storectl("verify", address).code == 0)
    #expect(await ToolRun.storectl("export", address).output.contains("\"one\""))
    let classes = await ToolRun.storectl("schema", "--swift", address).output
    #expect(classes.contains("#Index<List>([\\.name])"), "\(classes)")
  }
}
