import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("storectl merge")
struct MergeTests {
  /// Three versions of a store: the common base and both sides.
  private struct Versions {
    let folder: TemporaryFolder
    let library: Library

    init() throws {
      library = try Library("json", oddText: "Nobody")
      folder = library.folder
      for name in ["base", "ours", "theirs"] {
        let target = folder.file(".\(name)")
        try FileManager.default.copyItem(at: folder.file("books.json"), to: target)
      }
    }

    /// Changes one of the versions through its models, under a name that a store can have.
    func change(_ name: String, _ body: (ModelContext) throws -> Void) throws {
      let (file, manager) = (folder.file("books.json"), FileManager.default)
      try manager.removeItem(at: file)
      try manager.copyItem(at: folder.file(".\(name)"), to: file)
      do {
        let context = ModelContext(try Library.container(library.url))
        try body(context)
        try context.save()
      }
      try manager.removeItem(at: folder.file(".\(name)"))
      try manager.moveItem(at: file, to: folder.file(".\(name)"))
      try manager.copyItem(at: folder.file(".base"), to: file)
    }

    func merge(_ words: String...) async -> Run {
      let paths = ["base", "ours", "theirs"].map { folder.file(".\($0)").path }
      return await Run.storectl(["merge"] + paths + words)
    }

    /// Opens the result.
    func opened() throws -> ModelContext {
      let file = folder.file("books.json")
      try FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: folder.file(".ours"), to: file)
      let container = try Library.container(library.url)
      for case let store as any MaintainableStore in container.stores {
        #expect(try store.verify() == [])
      }
      return ModelContext(container)
    }
  }

  private func book(_ title: String, in context: ModelContext) throws -> Book {
    let found = FetchDescriptor<Book>(predicate: #Predicate { $0.title == title })
    return try #require(try context.fetch(found).first)
  }

  private func titles(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Book>()).map(\.title).sorted()
  }

  @Test
  func `different objects that both sides added with one key are both kept with their references`()
    async throws
  {
    let versions = try Versions()
    for (name, title) in [("ours", "Mine"), ("theirs", "Yours")] {
      try versions.change(name) { context in
        let author = Author(name: "\(title) author")
        context.insert(author)
        let book = Book(title: title, pages: 1, key: UUID())
        context.insert(book)
        book.author = author
        book.tags = try context.fetch(FetchDescriptor<Tag>())
      }
    }
    let run = await versions.merge("--format", "json")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("\"renumbered\" : 2"))
    let context = try versions.opened()
    #expect(try titles(context) == ["Letters", "Mine", "Nobody", "Numbers", "Yours"])
    for title in ["Mine", "Yours"] {
      let found = try book(title, in: context)
      #expect(found.author?.name == "\(title) author")
      #expect(found.author?.books.map(\.title) == [title])
      #expect(Set(found.tags.map(\.word)) == ["old", "new"])
    }
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.word)]))
    #expect(
      tags.map { Set($0.books.map(\.title)).isSuperset(of: ["Mine", "Yours"]) } == [true, true]
    )
    context.insert(Tag(word: "next"))
    #expect(throws: Never.self) { try context.save() }
  }

  @Test func `changes of different properties and removals are merged`() async throws {
    let versions = try Versions()
    try versions.change("ours") { context in
      let found = try book("Numbers", in: context)
      found.pages = 200
      found.tags = found.tags.filter { $0.word == "new" }
    }
    try versions.change("theirs") { context in
      try book("Numbers", in: context).rating = 5
      let tag = Tag(word: "third")
      context.insert(tag)
      try book("Numbers", in: context).tags.append(tag)
      context.delete(try book("Nobody", in: context))
    }
    let run = await versions.merge()
    #expect(run.code == 0 && run.output.isEmpty, "\(run)")
    let context = try versions.opened()
    #expect(try titles(context) == ["Letters", "Numbers"])
    let found = try book("Numbers", in: context)
    #expect(found.pages == 200 && found.rating == 5)
    #expect(found.tags.map(\.word) == ["new", "third"])
  }

  @Test func `a value that both sides changed is a conflict, and ours is kept`() async throws {
    let versions = try Versions()
    try versions.change("ours") { try book("Numbers", in: $0).title = "Mine" }
    try versions.change("theirs") {
      try book("Numbers", in: $0).title = "Yours"
      try book("Letters", in: $0).pages = 81
    }
    let run = await versions.merge("books.json")
    #expect(run.code == 1)
    let line =
      "books.json: Book/4.title: both sides changed the value: base \"Numbers\", "
      + "ours \"Mine\", theirs \"Yours\""
    #expect(run.lines == [line])
    #expect(run.errors.contains("books.json has a conflict"))
    let context = try versions.opened()
    #expect(try titles(context) == ["Letters", "Mine", "Nobody"])
    #expect(try book("Letters", in: context).pages == 81)
  }

  @Test(arguments: ["ours", "theirs"])
  func `an object that one side removed and the other changed is a conflict`(
    remover: String
  ) async throws {
    let versions = try Versions()
    try versions.change(remover) { context in
      for author in try context.fetch(FetchDescriptor<Author>()) where author.name == "Ada" {
        context.delete(author)
      }
    }
    try versions.change(remover == "ours" ? "theirs" : "ours") { context in
      for author in try context.fetch(FetchDescriptor<Author>()) where author.name == "Ada" {
        author.name = "Ada Lovelace"
      }
    }
    let run = await versions.merge()
    #expect(run.code == 1)
    let other = remover == "ours" ? "theirs" : "ours"
    #expect(
      run.lines.first?.contains("Author/1: \(remover) removed the object and \(other) changed")
        == true
    )
    let context = try versions.opened()
    let authors = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    guard remover == "theirs" else { return #expect(authors.map(\.name) == ["Nobody"]) }
    #expect(authors.map(\.name) == ["Ada Lovelace", "Nobody"])
    // The references that the removal cleared are restored.
    #expect(authors.first?.books.map(\.title) == ["Numbers", "Letters"])
    #expect(authors.first?.account?.owner === authors.first)
  }

  @Test(arguments: ["ours", "theirs"])
  func `a new reference to an object that the other side removed is a conflict`(
    remover: String
  ) async throws {
    let versions = try Versions()
    try versions.change(remover) { context in
      for author in try context.fetch(FetchDescriptor<Author>()) where author.name == "Nobody" {
        context.delete(author)
      }
    }
    try versions.change(remover == "ours" ? "theirs" : "ours") { context in
      let authors = try context.fetch(FetchDescriptor<Author>())
      try book("Nobody", in: context).author = authors.first { $0.name == "Nobody" }
    }
    let run = await versions.merge()
    #expect(run.code == 1 && run.lines.count == 1)
    #expect(run.lines.first?.contains("Author/2: \(remover) removed the object and Book/6") == true)
    let found = try book("Nobody", in: versions.opened())
    #expect(found.author?.name == (remover == "ours" ? nil : "Nobody"))
  }

  @Test func `equal values that must be unique are a conflict`() async throws {
    let versions = try Versions()
    for (name, word) in [("ours", "old"), ("theirs", "new")] {
      try versions.change(name) { context in
        context.insert(Tag(word: "same"))
        for tag in try context.fetch(FetchDescriptor<Tag>()) where tag.word == word {
          tag.word = "unique"
        }
      }
    }
    let run = await versions.merge()
    #expect(run.code == 1 && run.lines.count == 1, "\(run)")
    #expect(
      run.lines.first?.contains("Tag/8.word: Tag/7 has the same unique value") == true,
      "\(run)"
    )
    let words = try versions.opened().fetch(FetchDescriptor<Tag>()).map(\.word).sorted()
    // Both added the same tag with the same key.
    #expect(words == ["new", "same", "unique"])
  }

  @Test func `a new object with a unique value of ours is omitted`() async throws {
    let versions = try Versions()
    try versions.change("ours") { $0.insert(Tag(word: "same")) }
    try versions.change("theirs") { context in
      context.insert(Author(name: "Zed"))
      try context.save()
      let tag = Tag(word: "same")
      context.insert(tag)
      try book("Numbers", in: context).tags.append(tag)
    }
    let run = await versions.merge()
    #expect(run.code == 1 && run.lines.count == 1, "\(run)")
    #expect(run.output.contains("the object of theirs is omitted"))
    let context = try versions.opened()
    #expect(try context.fetch(FetchDescriptor<Author>()).contains { $0.name == "Zed" })
    #expect(
      try context.fetch(FetchDescriptor<Tag>()).map(\.word).sorted() == ["new", "old", "same"]
    )
    #expect(Set(try book("Numbers", in: context).tags.map(\.word)) == ["old", "new"])
  }

  @Test func `documents of different stores and other files are refused and unchanged`()
    async throws
  {
    let versions = try Versions()
    let other = try Library("json")
    let ours = versions.folder.file(".ours")
    let before = try Data(contentsOf: ours)
    let theirs = versions.folder.file(".theirs")
    try Data(contentsOf: other.folder.file("books.json")).write(to: theirs)
    let refused = await versions.merge()
    #expect(refused.code == 1 && refused.errors.contains("different stores"))
    try Data("{}".utf8).write(to: theirs)
    #expect(await versions.merge().code == 1)
    #expect(try Data(contentsOf: ours) == before)
  }

  @Test func `the result has the schema that one side changed`() async throws {
    let versions = try Versions()
    let file = versions.folder.file(".theirs")
    let text = try String(contentsOf: file, encoding: .utf8)
    let newer = text.replacing("\"version\":\"1.0.0\"", with: "\"version\":\"1.1.0\"")
    #expect(newer != text)
    try newer.write(to: file, atomically: true, encoding: .utf8)
    try versions.change("ours") { try book("Numbers", in: $0).pages = 7 }
    #expect(await versions.merge().code == 0)
    let merged = try String(contentsOf: versions.folder.file(".ours"), encoding: .utf8)
    #expect(merged.contains("\"version\":\"1.1.0\"") && merged.contains("\"pages\":7"))
    try newer.replacing("1.1.0", with: "1.2.0").write(to: file, atomically: true, encoding: .utf8)
    let both = await versions.merge()
    #expect(both.code == 1 && both.errors.contains("both sides changed the schema"))
  }
}

extension MergeTests {
  @Test func `saves in a journal of the merged store are reported`() async throws {
    let versions = try Versions()
    try versions.change("theirs") { try book("Numbers", in: $0).pages = 2 }
    let store = versions.folder.file("books.json")
    try Data("a journal".utf8).write(to: versions.folder.file("books.json.journal"))
    let before = try Data(contentsOf: versions.folder.file(".ours"))
    let run = await versions.merge(store.path)
    #expect(run.code == 1)
    #expect(run.errors.contains("books.json.journal has saves that are not yet in the document"))
    #expect(try Data(contentsOf: versions.folder.file(".ours")) == before)
  }
}

@Model private final class Traveller {
  var name: String
  @Relationship(inverse: \Passport.owner) var passport: Passport?

  init(_ name: String) { self.name = name }
}

@Model private final class Passport {
  var number: String
  var owner: Traveller

  init(_ number: String, of owner: Traveller) {
    self.number = number
    self.owner = owner
  }
}

@Suite("storectl merge of one-to-one relationships")
struct PassportMergeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.file("\(name).json").path }

  private func change(_ name: String, _ body: (ModelContext) throws -> Void) throws {
    let container = try ModelContainer(
      for: Traveller.self,
      store: "json:\(path(name))?journal=off"
    )
    let context = ModelContext(container)
    try body(context)
    try context.save()
    try container.close()
  }

  private func add(_ numbers: [String: String], to name: String) throws {
    try change(name) { context in
      for traveller in try context.fetch(FetchDescriptor<Traveller>()) {
        guard let number = numbers[traveller.name] else { continue }
        context.insert(Passport(number, of: traveller))
      }
    }
  }

  @Test func `omits an object of theirs whose owner has another one in ours`() async throws {
    try change("base") { context in
      for name in ["Ada", "Bob", "Cleo"] { context.insert(Traveller(name)) }
    }
    for name in ["ours", "theirs"] {
      try FileManager.default.copyItem(atPath: path("base"), toPath: path(name))
    }
    try add(["Ada": "A1", "Bob": "B1"], to: "ours")
    try add(["Ada": "A2", "Cleo": "C2"], to: "theirs")
    let run = await Run.storectl(["merge", path("base"), path("ours"), path("theirs")])
    #expect(run.code == 1)
    #expect(
      run.output.contains("the object is omitted: Traveller/1 belongs to another object")
    )
    let container = try ModelContainer(for: Traveller.self, store: "json:\(path("ours"))")
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
    }
    let travellers = try ModelContext(container).fetch(
      FetchDescriptor<Traveller>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(travellers.map(\.passport?.number) == ["A1", "B1", "C2"])
    let passports = try ModelContext(container).fetch(FetchDescriptor<Passport>())
    let owners = passports.map { "\($0.owner.name) \($0.number)" }
    #expect(Set(owners) == ["Ada A1", "Bob B1", "Cleo C2"])
  }
}
