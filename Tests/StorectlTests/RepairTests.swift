import Foundation
import OpenSwiftData
import Testing

@testable import StoreTool

@Suite("storectl verify and repair")
struct RepairTests {
  @Test(arguments: ["sqlite", "json"])
  func `a store without problems is unchanged`(kind: String) async throws {
    let library = try Library(kind)
    let run = await Run.storectl("repair", library.url)
    #expect(run.output == "Nothing needs repair.\n", "\(run.errors)")
    #expect(run.code == 0)
    #expect(!(try library.folder.names()).contains { $0.hasSuffix(".before-repair") })
  }

  /// Adds an account whose owner has another account, which refers back to the owner.
  private static func makeRival(in library: Library) throws {
    let context = ModelContext(try Library.container(library.url))
    let rival = Account(number: "rival")
    context.insert(rival)
    try context.save()
    let account = try library.locate("Account", "owner", where: "number", is: .string("rival"))
    let ada = try library.locate("Author", "account", where: "name", is: .string("Ada"))
    try library.apply(
      StoreChanges(updated: [
        StoreUpdate(
          identifier: account.identifier,
          changes: [.init(account.index, .identifier(ada.identifier))]
        )
      ])
    )
  }

  @Test(arguments: ["sqlite", "json"])
  func `a reference that contradicts a one-to-one pair is set to nil`(kind: String) async throws {
    let library = try Library(kind)
    try Self.makeRival(in: library)
    let found = await Run.storectl("verify", library.url)
    #expect(found.code == 1)
    #expect(found.output.contains("does not refer back by 'account'"), "\(found.output)")
    let rehearsal = await Run.storectl("repair", library.url, "--dry-run")
    #expect(rehearsal.code == 1 && rehearsal.output.contains("set to nil"))
    #expect(await Run.storectl("verify", library.url).code == 1)
    let run = await Run.storectl("repair", library.url)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("refer to each other\nRepaired; the backup is "))
    #expect(await Run.storectl("verify", library.url).code == 0)
    let copy = "\(kind):\(library.folder.file("books.\(kind).before-repair").path)"
    #expect(await Run.storectl("verify", copy).code == 1)
    let ada = try ModelContext(Library.container(library.url)).fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Ada" })
    )
    #expect(ada.first?.account?.number == "4711")
  }

  @Test func `references to missing objects become nil or are removed from their list`()
    async throws
  {
    let library = try Library("json")
    let path = library.folder.file("books.json")
    var text = try String(contentsOf: path, encoding: .utf8)
    let ada = try library.locate("Author", "name", where: "name", is: .string("Ada"))
    let tag = try library.locate("Tag", "word", where: "word", is: .string("old"))
    let (author, word) = (
      try #require(ada.identifier.integerKey), try #require(tag.identifier.integerKey)
    )
    // The book refers to an account as its author, and to a tag that never existed.
    let number = try library.locate("Account", "owner", where: "number", is: .string("4711"))
    let account = try #require(number.identifier.integerKey)
    let line = try #require(text.components(separatedBy: "\n").first { $0.contains("Letters") })
    let damaged = line.replacing("\"author\":\(author)", with: "\"author\":\(account)")
      .replacing("\"tags\":[\(word)]", with: "\"tags\":[\(word),4000]")
    #expect(line != damaged)
    text = text.replacing(line, with: damaged)
      .replacing(/"nextKey": \d+/, with: "\"nextKey\": 3000")
    try text.write(to: path, atomically: true, encoding: .utf8)
    let found = await Run.storectl("verify", library.url)
    #expect(found.code == 1)
    let run = await Run.storectl("repair", library.url)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(
      run.lines.filter { $0.hasSuffix("references to missing objects are removed") }.count == 2
    )
    #expect(await Run.storectl("verify", library.url).output == "No problems were found.\n")
    let books = try ModelContext(Library.container(library.url)).fetch(
      FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Letters" })
    )
    #expect(books.first?.author == nil && books.first?.tags.map(\.word) == ["old"])
  }

  @Test func `invalid keys that another program wrote are reported and removed`() async throws {
    let library = try Library("sqlite")
    let (book, tags) = try library.locate("Book", "tags", where: "title", is: .string("Numbers"))
    let account = try library.locate("Account", "owner", where: "number", is: .string("4711"))
    let key = try #require(book.integerKey)
    try Library.execute(
      """
      UPDATE Account SET owner = 77777;
      UPDATE Book SET author = 88888 WHERE _key = \(key);
      UPDATE "Book.tags" SET member = 99999 WHERE owner = \(key) AND position = 0;
      """,
      on: library.folder.file("books.sqlite").path
    )
    let found = await Run.storectl("verify", library.url)
    #expect(
      found.output.contains("refers to Author/77777, which does not exist"),
      "\(found.output)"
    )
    let run = await Run.storectl("repair", library.url)
    #expect(run.lines.contains("\(account.identifier).owner: set to nil"), "\(run.output)")
    #expect(run.lines.contains("\(book).author: set to nil"))
    #expect(run.lines.contains("\(book).tags: 1 missing of 2 removed"))
    // The program cannot decide whether the remaining references to these objects are right.
    #expect(run.code == 1 && run.errors.contains("the store has 2 problems"), "\(run.output)")
    let object = try #require(try OpenedStore(library.url).object(book))
    guard case .identifiers(let left) = object.values[tags] else {
      Issue.record("the book has no list of tags")
      return
    }
    #expect(left.count == 1)
  }

  @Test(arguments: ["sqlite", "json"])
  func `a problem that needs a decision is reported and not changed`(kind: String) async throws {
    let library = try Library(kind)
    let book = try library.locate("Book", "tags", where: "title", is: .string("Numbers"))
    try library.apply(
      StoreChanges(updated: [
        StoreUpdate(identifier: book.identifier, changes: [.init(book.index, .identifiers([]))])
      ])
    )
    let run = await Run.storectl("repair", library.url)
    #expect(run.code == 1)
    #expect(run.output.contains("does not refer back by 'tags'"), "\(run.output)")
    #expect(run.output.hasPrefix("Nothing needs repair."))
  }

  @Test(arguments: ["sqlite", "json"])
  func `a history follower returns new saves once`(kind: String) async throws {
    let library = try Library(kind)
    var follower = HistoryFollower(library.url, filter: [], after: 0)
    let first = try follower.next()
    #expect(first.count == 1)
    #expect(try follower.next().isEmpty)
    do {
      let context = ModelContext(try Library.container(library.url))
      context.insert(Tag(word: "later"))
      try context.save()
    }
    let second = try follower.next()
    #expect(second.map(\.number) == [(first.last?.number ?? 0) + 1])
    #expect(try follower.next().isEmpty)
  }
}
