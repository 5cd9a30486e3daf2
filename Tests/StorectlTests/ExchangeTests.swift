import Foundation
import OpenSwiftData
import Testing

@testable import StoreTool

@Suite("storectl export, import and diff")
struct ExchangeTests {
  @Test(arguments: ["sqlite", "json"], ["sqlite", "json"])
  func `an export comes back exactly, in a store that it makes`(
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
    #expect(verified.output == "No problem was found.\n", "\(verified.output)")
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

  @Test func `one entity is exported without the schema`() async throws {
    let library = try Library("sqlite")
    let run = await Run.storectl("export", library.url, "--no-schema", "--entity", "Tag")
    #expect(run.lines.count == 2)
    #expect(run.lines[0].hasPrefix("{\"$entity\":\"Tag\",\"$id\":"))
  }

  @Test func `the order of members is exported where it is not that of keys`() async throws {
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

  /// Lines that are wrong, and what is said of the last.
  static let wrongLines: [(lines: [String], sentence: String)] = [
    (["{"], ":1: column 2: the text ends early"),
    (["{\"$id\":1,\"word\":\"a\"}"], "lacks \"$entity\""),
    (["{\"$entity\":\"Tags\",\"$id\":1}"], "no entity \"Tags\""),
    (["{\"$entity\":\"Tag\",\"word\":\"a\"}"], "lacks the key \"$id\""),
    (["{\"$entity\":\"Tag\",\"$id\":1}"], "Tag/1 lacks 'word', which needs a value"),
    (["{\"$entity\":\"Tag\",\"$id\":1,\"word\":5}"], "column 33"),
    (["{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\",\"x\":1}"], "\"x\" is no property of Tag"),
    (["{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\",\"word\":\"b\"}"], "\"word\" stands twice"),
    (
      [
        "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\"}", "",
        "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"b\"}",
      ], ":3: line 1 has the key of Tag/1 already"
    ),
    (
      ["{\"$entity\":\"Account\",\"$id\":1,\"number\":\"1\",\"owner\":7}"],
      "'owner' of Account/1 leads to Author/7, which is no line"
    ),
    (
      [
        "{\"$entity\":\"Account\",\"$id\":1,\"number\":\"1\",\"owner\":7}",
        "{\"$entity\":\"Author\",\"$id\":7,\"name\":\"A\"}",
      ], ":1: Account/1 has Author/7 in 'owner', and 'account' of Author/7 (line 2) does not say so"
    ),
    (
      [
        "{\"$entity\":\"Tag\",\"$id\":1,\"word\":\"a\"}",
        "{\"$entity\":\"Account\",\"$id\":2,\"number\":\"1\",\"owner\":1}",
      ], ":2: 'owner' of Account/2 leads to Author/1"
    ),
  ]

  @Test(arguments: wrongLines.indices)
  func `a line that is wrong is named, and nothing is stored`(index: Int) async throws {
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

  @Test func `unique values make an import an update`() async throws {
    let library = try Library("sqlite")
    let file = library.folder.file("tags.ndjson")
    try "{\"$entity\":\"Tag\",\"$id\":900,\"word\":\"new\"}\n"
      .write(to: file, atomically: true, encoding: .utf8)
    let run = await Run.storectl("import", file.path, library.url)
    #expect(run.output.hasPrefix("Imported 1 object.\n1 of them had unique values"))
    #expect(await Run.storectl("count", library.url, "Tag").output == "2\n")
  }

  @Test func `a file without a schema makes no store`() async throws {
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
    #expect(same.code == 0 && same.output == "The stores hold the same objects.\n")
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
    #expect(run.lines.filter { $0.hasPrefix("+ Tag/") }.count == 1)
    #expect(run.errors.contains("the stores differ: 1 added, 1 removed, 3 changed"))
  }
}
