import CommandLineSupport
import Foundation
import OpenSwiftData
import Testing

@testable import StoreTool

@Suite("storectl list")
struct ListTests {
  @Test(arguments: ["sqlite", "json"])
  func `output to a pipe has one object per line with exact values`(kind: String) async throws {
    let library = try Library(kind)
    let run = await Run.storectl("list", library.url, "Book", "--sort", "pages")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.lines.count == 3)
    #expect(run.lines[1].hasPrefix("{\"$entity\":\"Novel\",\"$id\":"))
    #expect(run.lines[2].contains("\"price\":\"12.5\",\"rating\":4.5,\"isLent\":false"))
    #expect(run.lines[2].contains("\"size\":{\"width\":12.5,\"height\":20.0},\"cover\":\"AP8=\""))
    #expect(run.lines[2].contains("\"scan\":\"BwcH"))
    for line in run.lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
  }

  @Test(arguments: ["sqlite", "json"])
  func `output to a terminal is a table of its width`(kind: String) async throws {
    let library = try Library(kind)
    let run = await Run.storectl("list", library.url, "Book", terminal: true)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.lines.allSatisfy { $0.count <= 80 }, "\(run.output)")
    #expect(run.lines[0].hasPrefix("ID"))
    #expect(run.output.contains("3 objects"))
    #expect(run.output.contains("Not shown: "))
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test func `columns are selected by name, in their order`() async throws {
    let library = try Library("json")
    let run = await Run.storectl(
      "list",
      library.url,
      "Book",
      "--columns",
      "pages, title,tags",
      "--sort",
      "-pages",
      "--limit",
      "1"
    )
    #expect(run.output.hasSuffix(",\"pages\":120,\"title\":\"Numbers\",\"tags\":[\(run.tags)]}\n"))
    let csv = await Run.storectl(
      "list",
      library.url,
      "Author",
      "--columns",
      "name,born",
      "--format",
      "csv"
    )
    let start = "id,name,born\r\nAuthor/"
    #expect(csv.output.hasPrefix(start))
    #expect(csv.output.contains(",Ada,2001-01-01T00:00:00.250Z\r\n"))
    #expect(csv.output.contains(",\"\(Library.hostile.replacing("\"", with: "\"\""))\",\r\n"))
  }

  @Test(
    arguments: [
      ("pages>0", 2), ("pages <= 80", 2), ("rating>=4.5", 1), ("rating=nil", 2), ("price=12.50", 1),
      ("title~NUMB", 1), ("title!=Numbers", 2), ("isLent=false", 3), ("size=nil", 2),
      ("key=00000000-0000-0000-0000-000000000002", 1),
    ],
    ["sqlite", "json"]
  )
  func `conditions select objects`(
    _ condition: (text: String, count: Int),
    kind: String
  )
    async throws
  {
    let library = try Library(kind)
    let run = await Run.storectl("list", library.url, "Book", "--where", condition.text)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.lines.count == condition.count, "\(run.output)")
  }

  @Test func `conditions accept dates and objects, and all of them must match`() async throws {
    let library = try Library("sqlite")
    let early = await Run.storectl("list", library.url, "Author", "--where", "born<2001-01-02")
    #expect(early.lines.count == 1)
    let ada = try library.locate("Author", "name", where: "name", is: .string("Ada")).identifier
    let own = await Run.storectl(
      "list",
      library.url,
      "Book",
      "--where",
      "author=\(ada)",
      "--where",
      "pages<100"
    )
    #expect(own.lines.count == 1 && own.output.contains("Letters"))
  }

  @Test(
    arguments: [
      (["Books"], "no entity 'Books'; it has Account, Author, Book, Novel, Tag"),
      (["Book", "--columns", "name"], "Book has no property 'name'; it has title"),
      (["Book", "--sort", "author"], "Book.author cannot be sorted by"),
      (
        ["Book", "--where", "pages=many"],
        "Book.pages is an Int64; 'many' is not an integer in its range"
      ),
      (["Book", "--where", "tags=1"], "Book.tags is a to-many relationship"),
      (["Book", "--where", "pages"], "'pages' is not a condition"),
    ]
  )
  func `an unknown name is reported with the available ones`(
    words: [String],
    sentence: String
  ) async throws {
    let library = try Library("json")
    let console = Console.recording()
    let all = ["list", library.url] + words
    let code = await Storectl.command.run(all, environment: [:], console: console)
    #expect(code != .success)
    #expect(console.errors.pendingText.contains(sentence), "\(console.errors.pendingText)")
  }

  @Test func `a table reports the number of omitted objects`() async throws {
    let library = try Library("json")
    let run = await Run.storectl(
      "list",
      library.url,
      "Book",
      "--limit",
      "2",
      "--columns",
      "title",
      "--format",
      "table"
    )
    #expect(run.output.contains("\n2 of 3 objects\n--limit and --offset show others\n"))
    let rest = await Run.storectl(
      "list",
      library.url,
      "Book",
      "--offset",
      "2",
      "--columns",
      "title",
      "--format",
      "table"
    )
    #expect(rest.output.contains("\n1 of 3 objects\n"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `an object is shown with its related objects`(kind: String) async throws {
    let library = try Library(kind)
    let ada = try library.locate("Author", "name", where: "name", is: .string("Ada")).identifier
    let run = await Run.storectl("show", library.url, "\(ada)")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.lines[0] == "\(ada)")
    // A JSON document has no save numbers.
    #expect(run.output.contains("last changed by save") == (kind == "sqlite"))
    #expect(run.lines.contains { $0.hasPrefix("books") && $0.contains("2: Book/") })
    #expect(run.lines.contains { $0.hasPrefix("account  Account/") })
    let missing = await Run.storectl("show", library.url, "Author/99")
    #expect(missing.code == 1 && missing.errors.contains("no object Author/99"))
    let name = await Run.storectl("show", library.url, "Ada")
    #expect(name.code == 1 && name.errors.contains("write its entity and key"))
  }

  @Test func `an object of a subentity is found by the superentity's name`() async throws {
    let library = try Library("sqlite")
    let novel = try library.locate("Novel", "title", where: "title", is: .string("Letters"))
    let key = "\(novel.identifier)".replacing("Novel", with: "Book")
    let run = await Run.storectl("show", library.url, key, "--format", "json")
    #expect(run.output.hasPrefix("{\"$entity\":\"Novel\""), "\(run.errors)")
  }

  @Test(arguments: ["sqlite", "json"])
  func `statistics contain sizes, nulls and extremes`(kind: String) async throws {
    let library = try Library(kind)
    let run = await Run.storectl("stats", library.url, width: 100)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.lines[0].hasPrefix("books.\(kind)  "))
    #expect(run.output.contains("books.\(kind).files  40000 bytes in 1 file"))
    #expect(run.output.contains("Book: 2 rows\nindex title\n"))
    let pages = run.lines.first { $0.hasPrefix("pages") }
    #expect(
      pages?.split(separator: " ").map(String.init) == ["pages", "int64", "0", "-3", "120", "-"]
    )
    let born = run.lines.first { $0.hasPrefix("born") }
    #expect(born?.contains("1  2001-01-01T00:00:00.250Z") == true)
    let json = await Run.storectl("stats", library.url, "--format", "json")
    #expect(json.output.contains("\"least\" : \"-3\""))
  }

  /// Conditions through relationships, and the pages of the matching books.
  static let paths: [(condition: String, pages: [String])] = [
    ("author.name=Ada", ["120", "80"]),
    ("author.account.number=4711", ["120", "80"]),
    ("author.name=nil", ["-3"]),
    ("tags.word=new", ["120"]),
    ("tags.word~O", ["120", "80"]),
    ("author.books.pages<100", ["120", "80"]),
    ("author.books.tags.word=new", ["120", "80"]),
  ]

  @Test(arguments: ["sqlite", "json"], paths.indices)
  func `conditions can use paths through relationships`(kind: String, index: Int) async throws {
    let (condition, pages) = Self.paths[index]
    let library = try Library(kind)
    let run = await Run.storectl(
      "list",
      library.url,
      "Book",
      "--where",
      condition,
      "--columns",
      "pages",
      "--sort",
      "-pages",
      "--format",
      "csv"
    )
    #expect(run.code == 0, "\(condition): \(run.errors)")
    let lines = run.output.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty }
    #expect(lines.map { String($0.split(separator: ",").last ?? "") } == pages, "\(condition)")
    let count = await Run.storectl("count", library.url, "Book", "--where", condition)
    #expect(count.output == "\(pages.count)\n", "\(condition): \(count.errors)")
  }

  @Test(
    arguments: [
      ("author.nobody=1", "no property 'nobody'"), ("pages.more=1", "is not a relationship"),
      ("tags=1", "tags.NAME"), ("author.=1", "no property ''"),
    ]
  )
  func `an invalid path is an error that names the wrong part`(
    condition: String,
    words: String
  ) async throws {
    let library = try Library("sqlite")
    let run = await Run.storectl("list", library.url, "Book", "--where", condition)
    #expect(run.code == 1 && run.errors.contains(words), "\(run.errors)")
  }

  @Test func `counts can be JSON, and need an entity for a condition`() async throws {
    let library = try Library("sqlite")
    let all = await Run.storectl("count", library.url, "--format", "json")
    #expect(all.output.contains("\"Book\" : 2") && all.output.contains("\"Novel\" : 1"))
    let one = await Run.storectl("count", library.url, "Book", "--format", "json")
    #expect(one.output.contains("\"Book\" : 3"))
    let wrong = await Run.storectl("count", library.url, "--where", "pages=1")
    #expect(wrong.code == 64)
  }

  @Test func `history is limited to ranges, and can be lines of JSON`() async throws {
    let library = try Library("sqlite")
    for word in ["a", "b", "c"] {
      let context = ModelContext(try Library.container(library.url))
      context.author = word
      context.insert(Tag(word: word))
      try context.save()
    }
    let range = await Run.storectl(
      "history",
      library.url,
      "--since",
      "1",
      "--until",
      "3",
      "--format",
      "json"
    )
    let numbers = try range.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return [object?["number"] as? Int ?? 0: object?["author"] as? String ?? ""]
    }
    #expect(numbers == [[2: "a"], [3: "b"]], "\(range.errors)")
    let none = await Run.storectl("history", library.url, "--before", "2001-01-01")
    #expect(none.lines.count == 1 && none.lines[0].hasPrefix("0 of"))
    let all = await Run.storectl("history", library.url, "--after", "2001-01-01T00:00:00Z")
    #expect(all.lines.last == "4 of transactions 1 to 4")
    #expect(await Run.storectl("history", library.url, "--after", "yesterday").code == 64)
    let unknown = await Run.storectl("history", library.url, "--entity", "Books")
    #expect(unknown.code == 1 && unknown.errors.contains("no entity 'Books'"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `history shows many rows with consecutive keys as one range`(kind: String) async throws {
    let library = try Library(kind)
    let context = ModelContext(try Library.container(library.url))
    for number in 0..<101 { context.insert(Tag(word: "\(number)")) }
    try context.save()
    let text = await Run.storectl("history", library.url, "--since", "1")
    #expect(text.lines.dropLast().last == "  +Tag/9 … Tag/109", "\(text.output)")
    #expect(text.lines.count < 20)
    let json = await Run.storectl("history", library.url, "--since", "1", "--format", "json")
    let last = Data((json.lines.last ?? "").utf8)
    let object = try JSONSerialization.jsonObject(with: last) as? [String: Any]
    let changes = object?["changes"] as? [[String: Any]]
    #expect(changes?.count == 1 && changes?.first?["lastObject"] as? String == "Tag/109")
  }

  @Test(arguments: ["sqlite", "json"])
  func `history shows the keys that a file states in one line, or refuses them`(
    kind: String
  ) async throws {
    let library = try Library(kind)
    #expect(await Run.storectl("compact", library.url).code == 0)
    for last in [1 << 31, 1 << 31 + 1] {
      try library.replaceHistory(by: "[{\"insert\":\"Tag\",\"keys\":[[1,\(last)]]}]")
      for format in [[], ["--format", "json"]] {
        let run = await Run.storectl(["history", library.url] + format)
        #expect(run.output.utf8.count < 1_000)
        if last == 1 << 31 {
          #expect(run.code == 0 && run.output.contains("/\(last)"), "\(run)")
        } else {
          #expect(run.errors.contains("transaction 1 of the history cannot be read"), "\(run)")
        }
      }
    }
  }

  @Test func `writing to a document in use waits and reports the reason`() throws {
    let library = try Library("json")
    let lock = open(library.folder.file("books.json.lock").path, O_RDWR)
    #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    var reported: [String] = []
    // The lock is released as soon as the store waits.
    let opened = try OpenedStore(library.url, forWriting: true) {
      reported.append($0)
      close(lock)
    }
    #expect(try opened.store.count(StoreQuery(entity: "Tag")) == 2)
    #expect(reported.count == 1 && reported[0].hasPrefix("storectl: waiting: "), "\(reported)")
  }

  @Test func `reading a document in use returns the state of its last save`() async throws {
    let library = try Library("json")
    let context = ModelContext(try Library.container(library.url))
    context.insert(Tag(word: "third"))
    try context.save()
    // A copy of the open store with its journal, locked as if another process had opened it.
    let other = library.other("json")
    for ending in ["", ".journal", ".files"] {
      try FileManager.default.copyItem(
        at: library.folder.file("books.json\(ending)"),
        to: library.folder.file("other.json\(ending)")
      )
    }
    let path = library.folder.file("other.json.lock").path
    let lock = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(lock) }
    #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    var reported: [String] = []
    let opened = try OpenedStore(other) { reported.append($0) }
    #expect(try opened.store.count(StoreQuery(entity: "Tag")) == 3)
    #expect(
      reported.count == 1 && reported[0].contains("in use; this is the state of its last save")
    )
    let copied = await Run.storectl("copy", other, library.other("sqlite", "copy"))
    #expect(copied.code == 0, "\(copied.errors)")
    #expect(throws: DataStoreError.storeBusy) {
      try OpenedStore("\(other)?readonly=yes&timeout=0")
    }
  }

  @Test func `swapped arguments are reported`() async throws {
    let library = try Library("sqlite")
    let file = library.folder.file("books.ndjson")
    try await Run.storectl("export", library.url).output
      .write(to: file, atomically: true, encoding: .utf8)
    let swapped = await Run.storectl("import", library.url, file.path)
    #expect(swapped.code == 64 && swapped.errors.contains("storectl import FILE URL"))
    let missing = await Run.storectl("import", library.url, "none.ndjson")
    #expect(missing.code == 64 && missing.errors.contains("storectl import FILE URL"))
    for words in [
      ["list", "Book"], ["count", "Book"], ["show", "Book/4"], ["schema", "lock", "lock"],
    ] {
      let run = await Run.storectl(words + [library.url])
      #expect(
        run.code == 64 && run.errors.contains("the store must precede the other argument: URL"),
        "\(run.errors)"
      )
    }
    let backup = await Run.storectl("backup", library.url, library.other("sqlite"))
    #expect(backup.code == 64 && backup.errors.contains("not a store's URL"))
    let both = await Run.storectl("serve", library.url, "--store", library.url)
    #expect(both.code == 64 && both.errors.contains("name the store once"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `a file that does not exist is an error that names a similar one`(kind: String) async throws
  {
    let library = try Library(kind)
    let typed = library.folder.file("boks.\(kind)").path
    for words in [["list", "\(kind):\(typed)", "Book"], ["compact", "\(kind):\(typed)"]] {
      let run = await Run.storectl(words)
      #expect(run.code == 1)
      #expect(
        run.errors == "storectl: there is no file \(typed); did you mean 'books.\(kind)'?\n"
      )
    }
    let other = await Run.storectl("info", library.other(kind, "quite-another"))
    #expect(other.errors.hasSuffix("quite-another.\(kind); correct the path of the store\n"))
  }
}

extension Run {
  /// The keys in the list at the end of the first line.
  fileprivate var tags: String {
    guard let start = output.lastIndex(of: "["), let end = output.lastIndex(of: "]") else {
      return ""
    }
    return String(output[output.index(after: start)..<end])
  }
}
