import CoreDataFiles
import CoreDataTestSupport
import Foundation
import OpenSwiftData
import Testing

@testable import CommandLineSupport
@testable import StoreTool

/// Tests of the classes that `storectl schema --swift` writes.
///
/// The classes for three files are in `Fixtures` and compiled with these tests, which open the files
/// and their copies with them.
@Suite("Classes written for a file of Core Data")
struct SwiftSourceTests {
  @Test func `structured values get types from the model and the stored values`() async throws {
    try await compare(SourceFile.things(), "ThingModels", "coredata")
  }

  @Test(arguments: ["coredata", "sqlite", "json"])
  func `a hierarchy and its copies get classes that inherit`(_ scheme: String) async throws {
    try await compare(SourceFile.hierarchy(), "LibraryModels", scheme)
  }

  @Test(arguments: ["coredata", "sqlite", "json"])
  func `a real file and its copies get classes`(_ scheme: String) async throws {
    try await compare(SourceFile(copying: "plaso-DataUsage"), "DataUsageModels", scheme)
  }

  private func compare(_ file: SourceFile, _ name: String, _ scheme: String) async throws {
    var address = "coredata:\(file.url.path)"
    if scheme != "coredata" {
      let copy = "\(scheme):\(file.folder.file("copy").path)"
      let run = await ToolRun.storectl("import", address, "--into", copy)
      #expect(run.code == 0, "\(run.errors)")
      address = copy
    }
    try await compare(address, name)
  }

  private func compare(_ address: String, _ name: String) async throws {
    let run = await ToolRun.storectl("schema", "--swift", address)
    #expect(run.code == 0, "\(run.errors)")
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/\(name).swift")
    if ProcessInfo.processInfo.environment["UPDATE_FIXTURES"] != nil {
      try Data(run.output.utf8).write(to: fixture)
    }
    #expect(try String(contentsOf: fixture, encoding: .utf8) == run.output)
  }

  @Test(arguments: ["coredata", "sqlite", "json"])
  func `the classes open the file and its copies`(_ scheme: String) throws {
    let file = try SourceFile.hierarchy()
    let schema = Schema([Author.self, Critic.self, Book.self, Page.self])
    var address = "coredata:\(file.url.path)"
    if scheme != "coredata" {
      let copy = "\(scheme):\(file.folder.file("copy").path)"
      let source = try ModelContainer(for: schema, store: address)
      try source.copy(to: ModelContainer(for: schema, store: copy))
      address = copy
    }
    let context = ModelContext(try ModelContainer(for: schema, store: address))
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(authors.map(\.name) == ["Ada"])
    #expect(authors.first?.books.map(\.title) == ["first", "last", "nowhere"])
    #expect(authors.first?.friends.map(\.name) == ["Ben"])
    let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { "\(type(of: $0))" } == ["Author", "Critic"])
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map { $0.pages.map(\.number) } == [[10, 30], [20], [], []])
    #expect(books.map { $0.owner?.name } == [nil, "Ben", nil, "Ada"])
  }

  @Test func `structured values are read with the written types`() throws {
    let file = try SourceFile.things()
    let container = try ModelContainer(for: Thing.self, store: "coredata:\(file.url.path)")
    let things = try ModelContext(container).fetch(FetchDescriptor<Thing>())
    #expect(things.map(\.ice) == ["cubes", nil])
    #expect(things.map(\.mood) == [.calm, nil])
    #expect(things.map(\.words) == [["a", "b"], nil])
    #expect(things.first?.place?.id == 7)
  }

  @Test(arguments: ["coredata", "sqlite", "json"])
  func `an archived class gets a structure, which subclasses of its entity inherit`(
    _ scheme: String
  ) async throws {
    let file = try SourceFile.documents()
    try await compare(file, "DocumentModels", scheme)
    let address =
      scheme == "coredata" ? file.url.path : file.folder.file("copy").path
    let container = try ModelContainer(
      for: Document.self,
      Sketch.self,
      store: "\(scheme):\(address)"
    )
    let documents = try ModelContext(container)
      .fetch(FetchDescriptor<Document>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(documents.map(\.cover.class) == ["Cover", "Cover"])
    #expect(documents.map(\.cover.text) == ["front", "front"])
    #expect(documents.map { ($0 as? Sketch)?.scale } == [nil, 0.5])
  }

  @Test func `constraints and indexes are in the topmost class that has them`() async throws {
    let file = try SourceFile.hierarchy(SourceFile.constrainedModel)
    let run = await ToolRun.storectl("schema", "--swift", "coredata:\(file.url.path)")
    let lists = run.output.matches(of: /#\w+<\w+>/).map(\.output)
    #expect(lists == ["#Unique<Person>", "#Index<Person>"])
  }

  @Test func `types of Swift and Foundation are qualified beside entities with their names`()
    async throws
  {
    let date = SampleModel.entity(
      "Date",
      [
        SampleModel.attribute("count", .integer64), SampleModel.attribute("createdAt", .date),
        SampleModel.attribute("name", .string),
      ],
      [SampleModel.relationship("next", "Date") { $0.isOptional = true }]
    )
    let int = SampleModel.entity("Int", [SampleModel.attribute("value", .integer32)])
    let file = try SourceFile(
      ManagedModel(entities: [date, int]),
      """
      CREATE TABLE ZDATE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER,
        ZNEXT INTEGER, ZCREATEDAT TIMESTAMP, ZNAME VARCHAR);
      CREATE TABLE ZINT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZVALUE INTEGER);
      """
    )
    let output = await ToolRun.storectl("schema", "--swift", "coredata:\(file.url.path)").output
    for declaration in [
      "var count: Swift.Int", "var createdAt: Foundation.Date", "var name: String",
      "var next: Date?", "var value: Int32",
      "init(count: Swift.Int, createdAt: Foundation.Date, name: String) {",
    ] { #expect(output.contains("  \(declaration)\n"), "\(declaration)\n\(output)") }
  }

  @Test func `reserved and invalid names are escaped or cleaned`() {
    #expect(SwiftName.member("default") == "`default`")
    #expect(SwiftName.member("two words") == "`two words`")
    #expect(SwiftName.member("a`; b\n") == "`a; b`")
    #expect(SwiftName.member("größe") == "größe")
    #expect(SwiftName.member("$class") == "`class`")
  }
}
