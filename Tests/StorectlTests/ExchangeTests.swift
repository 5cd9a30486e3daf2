import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("storectl export, import and diff")
struct ExchangeTests {
  @Test(arguments: ["sqlite", "json"], ["sqlite", "json"])
  func `an import of an export creates an equal store`(
    from: String,
    to: String
  )
    async throws
  {
    let library = try Library(from)
    let file = library.folder.file("books.ndjson")
    let exported = await Run.storectl("export", library.url)
    #expect(exported.code == 0, "\(exported.errors)")
    #expect(exported.lines.count == 9)
    try exported.output.write(to: file, atomically: true, encoding: .utf8)
    let other = library.other(to)
    let imported = await Run.storectl("import", file.path, other)
    #expect(imported.output == "Imported 8 objects.\n", "\(imported.errors)")
    for rule in ["identity", "unique"] {
      let difference = await Run.storectl("diff", library.url, other, "--by", rule)
      #expect(difference.code == 0, "\(rule): \(difference.output)")
    }
    let verified = await Run.storectl("verify", other)
    #expect(verified.output == "No problems were found.\n", "\(verified.output)")
    let books = try ModelContext(Library.container(other)).fetch(
      FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    )
    #expect(books.map(\.pages) == [-3, 80, 120])
    #expect(books[0].title == Library.hostile)
    #expect(books[2].tags.map(\.word) == ["old", "new"])
    #expect(books[2].scan?.count == 40_000 && books[2].price == Decimal(string: "12.5"))
    #expect(books[2].size == Book.Size(width: 12.5, height: 20))
    #expect((books[1] as? Novel)?.series == "Old" && books[1].author?.name == "Ada")
    #expect(books[1].author?.account?.number == "4711")
  }

  @Test func `objects are matched by unique values as Swift compares them`() throws {
    let composed = try Library("json", oddText: "\u{E9}")
    let decomposed = try Library("sqlite", oddText: "e\u{301}")
    let matching = try ObjectMatching(
      OpenedStore(composed.url),
      OpenedStore(decomposed.url),
      by: .unique
    )
    let authors = try #require(matching.families.first { $0.root == "Author" })
    #expect(authors.pairs.count == 2 && authors.removed.isEmpty && authors.added.isEmpty)
  }

  @Test(arguments: [
    (#"{"name":"A","superentity":"A","properties":[]}"#, "inherits from itself"),
    (
      #"{"name":"A","properties":[{"name":"a","originalName":"a","isOptional":true,"#
        + #""isUnique":false,"options":[],"kind":{"toMany":{"_0":{"destination":"A","#
        + #""inverse":"b","inverseIsToOne":true,"deleteRule":"nullify"}}}}]}"#,
      "the inverse A.b is not a relationship"
    ),
  ])
  func `an export with an invalid schema creates no store`(
    entity: String,
    message: String
  ) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("export.ndjson")
    let header =
      #"{"$format":"OpenSwiftData rows","version":1,"schema":{"version":"1.0.0","#
      + #""entities":[\#(entity)]}}"#
    try header.write(to: file, atomically: true, encoding: .utf8)
    for kind in ["sqlite", "json"] {
      let run = await Run.storectl("import", file.path, "\(kind):\(folder.file("a.\(kind)").path)")
      #expect(run.code == 1 && run.errors.contains(message), "\(run.errors)")
    }
    #expect(try folder.names() == ["export.ndjson"])
  }

  @Test func `one entity is exported without the schema`() async throws {
    let library = try Library("sqlite")
    let run = await Run.storectl("export", library.url, "--no-schema", "--entity", "Tag")
    #expect(run.lines.count == 2)
    #expect(run.lines[0].hasPrefix("{\"$entity\":\"Tag\",\"$id\":"))
  }

  @Test func `the order of related objects is exported if it differs from the keys`() async throws {
    let library = try Library("json")
    let context = ModelContext(try Library.container(library.url))
    let ada = try #require(
      context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Ada" })).first
    )
    ada.books.reverse()
    let titles = ada.books.map(\.title)
    try context.save()
    let exported = await Run.storectl("export", library.url)
    #expect(
      exported.lines.contains { $0.contains("\"name\":\"Ada\"") && $0.contains("\"books\":") }
    )
    let file = library.folder.file("books.ndjson")
    try exported.output.write(to: file, atomically: true, encoding: .utf8)
    let other = library.other("sqlite")
    #expect(await Run.storectl("import", file.path, other).code == 0)
    let copy = try ModelContext(Library.container(other)).fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Ada" })
    )
    #expect(copy.first?.books.map(\.title) == titles)
  }

  /// Invalid lines and the message for the last one.
  static let wrongLines: [(lines: [String], sentence: String)] = [
    (["{"], ":1: column 2: the JSON text ends early"),
    (["{\"$id\":1,\"word\":\"a\"}"], "lacks \"$entity\""),
    (["{\"$entity\":\"Tags\",\"$id\":1}"], "no entity \"Tags\""),
    (["{\"$entity\":\"Tag\",\"word\":\"a\"}"], "lacks the key \"$id\""),
    (["{\"$entity\":\"Tag\",\"$id\":1}"], "Tag/1 lacks 'word', which is required"),
    (["{\"$entity\":\"Tag\",\"$id\":1,\"word\":5}"], "column 33"),
    (["{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\",\"x\":1}"], "\"x\" is not a property of Tag"),
    (["{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\",\"word\":\"b\"}"], "\"word\" occurs twice"),
    (
      [
        "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\"}", "",
        "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"b\"}",
      ], ":3: line 1 already has the key of Tag/1"
    ),
    (
      ["{\"$entity\":\"Account\",\"$id\":1,\"number\":\"1\",\"owner\":7}"],
      "'owner' of Account/1 refers to Author/7, which no line has"
    ),
    (
      [
        "{\"$entity\":\"Account\",\"$id\":1,\"number\":\"1\",\"owner\":7}",
        "{\"$entity\":\"Author\",\"$id\":7,\"name\":\"A\"}",
      ],
      ":1: Account/1 has Author/7 in 'owner', and 'account' of Author/7 (line 2) does not refer "
        + "back"
    ),
    (
      [
        "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\"}",
        "{\"$entity\":\"Account\",\"$id\":2,\"number\":\"1\",\"owner\":1}",
      ], ":2: 'owner' of Account/2 refers to Author/1"
    ),
  ]

  @Test(arguments: wrongLines.indices)
  func `an invalid line is reported, and nothing is stored`(index: Int) async throws {
    let (lines, sentence) = Self.wrongLines[index]
    let library = try Library("json")
    let file = library.folder.file("wrong.ndjson")
    let before = await Run.storectl("count", library.url)
    try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    let run = await Run.storectl("import", file.path, library.url)
    #expect(run.code == 1)
    #expect(run.errors.contains(sentence), "\(run.errors)")
    #expect(run.errors.hasPrefix("\(file.path):"))
    #expect(await Run.storectl("count", library.url).output == before.output)
  }

  @Test func `an import updates objects with equal unique values`() async throws {
    let library = try Library("sqlite")
    let file = library.folder.file("tags.ndjson")
    try "{\"$entity\":\"Tag\",\"$id\":900,\"word\":\"new\"}\n"
      .write(to: file, atomically: true, encoding: .utf8)
    let run = await Run.storectl("import", file.path, library.url)
    #expect(run.output.hasPrefix("Imported 1 object.\n1 of them had the unique values"))
    #expect(await Run.storectl("count", library.url, "Tag").output == "2\n")
  }

  @Test func `a file without a schema creates no store`() async throws {
    let library = try Library("json")
    let file = library.folder.file("tags.ndjson")
    try "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\"}".write(
      to: file,
      atomically: true,
      encoding: .utf8
    )
    let run = await Run.storectl("import", file.path, library.other("sqlite"))
    #expect(run.code == 1 && run.errors.contains("does not begin with a schema"))
    #expect(!(try library.folder.names()).contains("other.sqlite"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `two stores are compared object by object`(kind: String) async throws {
    let library = try Library(kind)
    let copy = library.folder.file("copy.\(kind)").path
    #expect(await Run.storectl("backup", library.url, copy).code == 0)
    let same = await Run.storectl("diff", library.url, "\(kind):\(copy)")
    #expect(same.code == 0 && same.output == "The stores have the same objects.\n")
    do {
      let context = ModelContext(try Library.container("\(kind):\(copy)"))
      let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
      context.delete(books[0])
      books[1].author = nil
      books[2].pages += 1
      context.insert(Tag(word: "third"))
      try context.save()
    }
    let run = await Run.storectl("diff", library.url, "\(kind):\(copy)")
    #expect(run.code == 1)
    #expect(run.lines.contains("    pages: 120 → 121"), "\(run.output)")
    #expect(run.lines.contains { $0.hasPrefix("    author: Author/") && $0.hasSuffix(" → nil") })
    #expect(run.lines.filter { $0.hasPrefix("- Book/") }.count == 1)
    // The label of an object is beside its key.
    #expect(run.lines.filter { $0.hasPrefix("+ Tag/") && $0.hasSuffix(" third") }.count == 1)
    #expect(run.lines.contains { $0.hasPrefix("~ Novel/") && $0.hasSuffix(" Letters") })
    #expect(run.lines.contains { $0.hasPrefix("- Book/") && $0.contains("Ärger") })
    #expect(run.errors.contains("the stores differ: 1 added, 1 removed, 3 changed"))
  }

  /// Returns a store whose keys have gaps and whose last objects are deleted.
  private func gappy(_ kind: String) async throws -> Library {
    let library = try Library(kind)
    let context = ModelContext(try Library.container(library.url))
    context.insert(Tag(word: "gone"))
    context.insert(Tag(word: "stays"))
    try context.save()
    try context.delete(model: Tag.self, where: #Predicate { $0.word == "gone" })
    context.insert(Tag(word: "last"))
    try context.save()
    try context.delete(model: Tag.self, where: #Predicate { $0.word == "last" })
    try context.save()
    return library
  }

  @Test(arguments: ["sqlite", "json"], ["copy", "import"])
  func `a new store has the keys and the next key of the original`(
    kind: String,
    way: String
  ) async throws {
    let library = try await gappy(kind)
    let other = library.other(kind == "json" ? "sqlite" : "json")
    if way == "copy" {
      let run = await Run.storectl("copy", library.url, other)
      #expect(run.output == "Copied and compared 9 objects.\n", "\(run.errors)")
    } else {
      let file = library.folder.file("books.ndjson")
      try await Run.storectl("export", library.url).output
        .write(to: file, atomically: true, encoding: .utf8)
      let run = await Run.storectl("import", file.path, other)
      #expect(run.output == "Imported 9 objects.\n", "\(run.errors)")
    }
    let same = await Run.storectl("diff", library.url, other)
    #expect(same.code == 0, "\(same.output)")
    let next = try [library.url, other].map { try OpenedStore($0).store.nextKey() }
    #expect(next[0] == 12 && next[1] == 12)
    #expect(try !library.folder.names().contains { $0.hasSuffix(".copying") })
  }

  @Test(arguments: ["sqlite", "json"])
  func `a store that had objects assigns new keys, and diff can compare by order`(
    kind: String
  ) async throws {
    let library = try await gappy(kind)
    let other = library.other(kind)
    #expect(await Run.storectl("copy", library.url, other).code == 0)
    let refused = await Run.storectl("copy", library.url, other)
    #expect(refused.code == 1 && refused.errors.contains("erase it first"))
    let unconfirmed = await Run.storectl("erase", other)
    #expect(unconfirmed.code == 1 && unconfirmed.errors.contains("9 objects"))
    #expect(await Run.storectl("count", other, "Book").output == "3\n")
    #expect(await Run.storectl("erase", other, "--yes").output == "Erased 9 objects.\n")
    let copied = await Run.storectl("copy", library.url, other)
    #expect(copied.lines.last?.contains("storectl diff --by order") == true, "\(copied.errors)")
    #expect(await Run.storectl("diff", library.url, other, "--by", "order").code == 0)
    let summary = await Run.storectl("diff", library.url, other, "--summary")
    #expect(summary.code == 1)
    #expect(summary.lines.contains("Tag          3        3        0"), "\(summary.output)")
    let limited = await Run.storectl("diff", library.url, other, "--limit", "2")
    #expect(limited.lines.count == 3 && limited.lines[2] == "and 16 more", "\(limited.output)")
    let json = await Run.storectl("diff", library.url, other, "--format", "json", "--limit", "1")
    let difference = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    )
    #expect((difference["objects"] as? [Any])?.count == 1)
    #expect(difference["hasSameSchema"] as? Bool == true)
  }

  @Test func `the location of damage in a document is reported once`() async throws {
    let library = try Library("json")
    let file = library.folder.file("books.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacing("\"pages\":120", with: "\"pages\":oops")
      .write(to: file, atomically: true, encoding: .utf8)
    let run = await Run.storectl("list", library.url, "Book")
    #expect(run.code == 1)
    #expect(run.errors.components(separatedBy: "column").count == 2, "\(run.errors)")
    #expect(!run.errors.contains("at byte"), "\(run.errors)")
  }
}
