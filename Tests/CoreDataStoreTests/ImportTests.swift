import CoreDataFiles
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

@Suite("storectl import of files of Core Data")
struct ImportTests {
  private func report(_ run: ToolRun) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    return try #require(value as? [String: Any])
  }

  @Test(
    arguments: [
      ("ddg-Bookmarks_V1", 10), ("ddg-SyncMetadata_V3", 4), ("plaso-DataUsage", 1_258),
    ],
    ["sqlite", "json"]
  )
  func `copies all objects of a real file`(
    _ file: (name: String, count: Int),
    _ scheme: String
  )
    async throws
  {
    let source = try SourceFile(copying: file.name)
    let before = try source.bytes()
    let target = "\(scheme):\(source.folder.file("copy").path)"
    let address = "coredata:\(source.url.path)"
    let run = await ToolRun.storectl("import", address, "--into", target, "--format", "json")
    #expect(run.code == 0, "\(run.errors)")
    let report = try report(run)
    #expect(report["keepsKeys"] as? Bool == true)
    #expect(report["target"] as? String == target)
    let objects = try #require(report["objects"] as? [String: Int])
    #expect(objects.values.reduce(0, +) == file.count)
    let difference = await ToolRun.storectl("diff", address, target)
    #expect(difference.code == 0, "\(difference.output)\(difference.errors)")
    for (path, bytes) in before { #expect(try source.bytes()[path] == bytes, "\(path)") }
  }

  @Test(arguments: ["sqlite", "json"])
  func `copies a hierarchy with its URIs and with new names`(_ scheme: String) async throws {
    let source = try SourceFile.hierarchy()
    let target = "\(scheme):\(source.folder.file("copy").path)"
    let run = await ToolRun.storectl(
      "import",
      "coredata:\(source.url.path)",
      "--into",
      target,
      "--keep-uris",
      "--rename",
      "Book=Volume",
      "--rename",
      "Book.pages=leaves",
      "--rename",
      "Person.friendOf=fans"
    )
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("Book: renamed to Volume, as requested"))
    #expect(run.output.contains("Imported 10 objects into"))
    let store = try ToolRun.store(at: target)
    let volumes = try store.fetch(StoreQuery(entity: "Volume"))
    #expect(
      volumes.first?["coreDataURI"]
        == .string("x-coredata://C0FFEE00-0000-4000-8000-000000000000/Book/p1")
    )
    let leaves = try store.members(
      of: "leaves",
      in: "Volume",
      owners: volumes.map(\.persistentIdentifier)
    )
    #expect(volumes.map { leaves[$0.persistentIdentifier]?.count } == [1, 2, 0, 0])
    let people = try store.fetch(StoreQuery(entity: "Person"))
    #expect(people.map { $0["coreDataURI"] }.count == 2)
    #expect(people.last?["fans"] == .identifiers(people.map(\.persistentIdentifier)))
    let plain = await ToolRun.storectl("count", target)
    #expect(plain.output.contains("Critic") && plain.output.contains("Volume"))
  }

  @Test func `keeps and reports ends of a relationship that disagree`() async throws {
    let source = try SourceFile.accounts()
    let target = "sqlite:\(source.folder.file("copy").path)"
    let run = await ToolRun.storectl("import", "coredata:\(source.url.path)", "--into", target)
    #expect(run.code == 0, "\(run.errors)")
    #expect(
      run.output.contains(
        "Account.state: which end is right; State.account does not refer back for 1, "
          + "and both ends are kept"
      ),
      "\(run.output)"
    )
    #expect(!run.output.contains("State.account: which"))
  }

  @Test func `copies only the selected entity and its hierarchy`() async throws {
    let source = try SourceFile.hierarchy()
    let target = "json:\(source.folder.file("copy").path)"
    let run = await ToolRun.storectl(
      "import",
      "coredata:\(source.url.path)",
      target,
      "--entity",
      "Author"
    )
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("not selected: Book, Page"))
    let schema = try ToolRun.store(at: target).schema.storeSchema
    #expect(schema.entities.map(\.name) == ["Author", "Critic", "Person"])
    #expect(schema.entity(named: "Author")?.property(named: "books") == nil)
  }

  @Test func `reports each lost value and exits with status 1`() async throws {
    let source = try SourceFile.hierarchy()
    try source.run(
      """
      UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 4;
      UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = 2;
      UPDATE ZPAGE SET Z1PAGES = 99 WHERE Z_PK = 4;
      INSERT INTO Z_3FRIENDS VALUES (1, 55), (66, 67);
      INSERT INTO ZPAGE VALUES (9, 42, 1, 50, NULL);
      INSERT INTO ATRANSACTION VALUES (1, 5);
      """
    )
    let target = "sqlite:\(source.folder.file("copy").path)"
    let file = source.folder.file("report.json")
    let run = await ToolRun.storectl(
      "import",
      "coredata:\(source.url.path)",
      "--into",
      target,
      "--report",
      file.path
    )
    #expect(run.code == 1)
    for sentence in [
      "Book/p4 author: it refers to row 77, which is missing",
      "Book.title: optional, because some objects have no value",
      "Book.pages: 1 references from missing objects",
      "Author/p1 friends: it refers to row 55, which is missing",
      "Person.friends: 1 references from missing objects",
      "ZPAGE: 1 rows without an entity of the model", "ATRANSACTION: 1 rows of the history",
      "1 values of the program in the store's metadata",
    ] { #expect(run.output.contains(sentence), "\(sentence)\n\(run.output)") }
    #expect(!run.output.contains("a token of the program"))
    let written = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    let report = try #require(written as? [String: Any])
    #expect(report["lostValueCount"] as? Int == 2)
    let store = try ToolRun.store(at: target)
    let books = try store.fetch(StoreQuery(entity: "Book"))
    #expect(
      books.map { $0["title"] } == [.string("last"), .null, .string("nowhere"), .string("lost")]
    )
    #expect(books.last?["author"] == .null)
  }

  @Test func `fails for missing external files unless they are allowed`() async throws {
    let source = try SourceFile.photographs()
    let target = source.folder.file("copy")
    let words = ["import", "coredata:\(source.url.path)", "--into", "json:\(target.path)"]
    let run = await ToolRun.storectl(words[0], words[1], words[2], words[3])
    #expect(run.code == 1)
    #expect(run.errors.contains(".Model_SUPPORT"))
    #expect(!FileManager.default.fileExists(atPath: target.path))
    let again = await ToolRun.storectl(
      words[0],
      words[1],
      words[2],
      words[3],
      "--missing-files",
      "nil"
    )
    #expect(again.code == 1)
    #expect(
      try ToolRun.store(at: "json:\(target.path)").count(StoreQuery(entity: "Thing")) == 2
    )
    try source.writeExternalFile(Data([9, 9]))
    let whole = await ToolRun.storectl(words[0], words[1], words[2], words[3] + "2")
    #expect(whole.code == 0, "\(whole.errors)")
    #expect(whole.output.contains("Thing.photo: 1 value in files beside the store"))
  }

  @Test func `writes nothing in a dry run`() async throws {
    let source = try SourceFile.things()
    let before = try source.bytes()
    let run = await ToolRun.storectl("import", "coredata:\(source.url.path)", "--dry-run")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("Nothing was written."))
    #expect(run.output.contains("Thing.words: 1 value decoded from archives"))
    #expect(run.output.contains("Thing.place: 1 value absent: nil, or a structure"))
    #expect(try source.bytes() == before)
  }

  @Test func `can keep the bytes of transformable attributes`() async throws {
    let source = try SourceFile.things()
    let target = "sqlite:\(source.folder.file("copy").path)"
    let address = "coredata:\(source.url.path)"
    let run = await ToolRun.storectl("import", address, target, "--raw-transformables")
    #expect(run.code == 0, "\(run.errors)")
    let store = try ToolRun.store(at: target)
    guard case .data(let bytes)? = try store.fetch(StoreQuery(entity: "Thing")).first?["words"]
    else {
      Issue.record("no bytes")
      return
    }
    #expect(bytes.starts(with: Data("bplist".utf8)))
    let difference = await ToolRun.storectl("diff", address + "?transformables=raw", target)
    #expect(difference.code == 0, "\(difference.output)")
  }

  @Test func `refuses a target that is not empty, and leaves it unchanged`() async throws {
    let source = try SourceFile.things()
    let target = "sqlite:\(source.folder.file("copy").path)"
    let address = "coredata:\(source.url.path)"
    #expect(await ToolRun.storectl("import", address, target).code == 0)
    let again = await ToolRun.storectl("import", address, target)
    #expect(again.code == 1 && again.errors.contains("is not empty"))
    #expect(await ToolRun.storectl("diff", address, target).code == 0)
  }

  @Test(
    arguments: [
      ["--rename", "Thing"], ["--rename", "Thing.id="], ["--format", "xml"],
    ]
  )
  func `refuses invalid options`(_ options: [String]) async throws {
    let source = try SourceFile.things()
    let run = await ToolRun.storectl(
      "import",
      "coredata:\(source.url.path)",
      "json:\(source.folder.file("copy").path)",
      options[0],
      options[1]
    )
    #expect(run.code == 64)
  }

  @Test(
    arguments: [
      ("--rename", "Thin=Other"), ("--rename", "Thing.none=other"),
      ("--rename", "Thing.id=words"), ("--entity", "Other"),
    ]
  )
  func `refuses names that the model lacks`(_ option: String, _ value: String) async throws {
    let source = try SourceFile.things()
    let target = source.folder.file("copy")
    let run = await ToolRun.storectl(
      "import",
      "coredata:\(source.url.path)",
      "json:\(target.path)",
      option,
      value
    )
    #expect(run.code == 1 && run.errors.contains(/has no entity|not a property|two properties/))
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }
}
