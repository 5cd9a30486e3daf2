import OpenSwiftData
import StoreTestSupport
import Testing

@Model
private final class Author {
  var name: String
  var pen: Pen?
  var books: [Book] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class Book {
  var title: String
  @Relationship(inverse: \Author.books) var authors: [Author] = []

  init(_ title: String) { self.title = title }
}

@Model
private final class Pen {
  var colour: String
  @Relationship(inverse: \Author.pen) var owner: Author?

  init(_ colour: String) { self.colour = colour }
}

/// Two contexts on a store with authors `a` and `b`, books `x` and `y`, pens `p` and `q`.
private struct Desk {
  let fixture: ContainerFixture
  let container: ModelContainer
  let here: ModelContext
  let there: ModelContext

  init(_ store: EveryStore, _ prepare: (Desk) throws -> Void = { _ in }) throws {
    fixture = try ContainerFixture(store, for: Author.self, Book.self, Pen.self)
    container = try fixture.open()
    let writer = ModelContext(container)
    for name in ["a", "b"] { writer.insert(Author(name)) }
    for title in ["x", "y"] { writer.insert(Book(title)) }
    for colour in ["p", "q"] { writer.insert(Pen(colour)) }
    try writer.save()
    here = ModelContext(container)
    there = ModelContext(container)
    try prepare(self)
    for context in [here, there] { try Self.readAll(context) }
  }

  /// Registers all objects and relationships in a context.
  static func readAll(_ context: ModelContext) throws {
    for author in try context.all(Author.self) { _ = (author.books.count, author.pen?.colour) }
    for book in try context.all(Book.self) { _ = book.authors.count }
    for pen in try context.all(Pen.self) { _ = pen.owner?.name }
  }

  func author(_ name: String, _ context: ModelContext) throws -> Author {
    try #require(try context.all(Author.self).first { $0.name == name })
  }

  func book(_ title: String, _ context: ModelContext) throws -> Book {
    try #require(try context.all(Book.self).first { $0.title == title })
  }

  func pen(_ colour: String, _ context: ModelContext) throws -> Pen {
    try #require(try context.all(Pen.self).first { $0.colour == colour })
  }

  /// Returns the related pairs, as read from each end in a new context.
  func pairs() throws -> (books: [Set<String>], pens: [Set<String>]) {
    try Self.pairs(ModelContext(container))
  }

  static func pairs(
    _ context: ModelContext
  ) throws -> (books: [Set<String>], pens: [Set<String>]) {
    let authors = try context.all(Author.self)
    let books = try context.all(Book.self)
    let pens = try context.all(Pen.self)
    return (
      [
        Set(authors.flatMap { author in author.books.map { author.name + $0.title } }),
        Set(books.flatMap { book in book.authors.map { $0.name + book.title } }),
      ],
      [
        Set(authors.compactMap { author in author.pen.map { author.name + $0.colour } }),
        Set(pens.compactMap { pen in pen.owner.map { $0.name + pen.colour } }),
      ]
    )
  }
}

@Suite("Relationships that two contexts change")
struct BothEndsTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `keep what both contexts added`(_ store: EveryStore) throws {
    let desk = try Desk(store)
    try desk.author("a", desk.there).books.append(desk.book("x", desk.there))
    try desk.author("b", desk.here).books.append(desk.book("x", desk.here))
    try desk.there.save()
    try desk.here.save()
    #expect(try desk.pairs().books == [["ax", "bx"], ["ax", "bx"]])
    #expect(try Desk.pairs(desk.here).books == [["ax", "bx"], ["ax", "bx"]])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `lose only what either context removed`(_ store: EveryStore) throws {
    let desk = try Desk(store) { desk in
      let author = try desk.author("a", desk.here)
      author.books = [try desk.book("x", desk.here), try desk.book("y", desk.here)]
      try desk.here.save()
    }
    try desk.book("x", desk.there).authors = []
    try desk.there.save()
    try desk.author("b", desk.here).books = [
      desk.book("y", desk.here), desk.book("x", desk.here),
    ]
    try desk.author("a", desk.here).books.removeAll { $0.title == "y" }
    try desk.here.save()
    #expect(try desk.pairs().books == [["by", "bx"], ["by", "bx"]])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keep new objects of both contexts`(_ store: EveryStore) throws {
    let desk = try Desk(store)
    try desk.author("a", desk.there).books.append(Book("n"))
    try desk.author("a", desk.here).books.append(Book("m"))
    try desk.there.save()
    try desk.here.save()
    #expect(try desk.pairs().books == [["an", "am"], ["an", "am"]])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `assign a one-to-one counterpart to the later save`(_ store: EveryStore) throws {
    let desk = try Desk(store)
    try desk.author("a", desk.there).pen = desk.pen("p", desk.there)
    try desk.author("b", desk.here).pen = desk.pen("p", desk.here)
    try desk.there.save()
    try desk.here.save()
    #expect(try desk.pairs().pens == [["bp"], ["bp"]])
    #expect(try Desk.pairs(desk.here).pens == [["bp"], ["bp"]])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keep a one-to-one counterpart that the other context assigned`(_ store: EveryStore) throws {
    let desk = try Desk(store) { desk in
      try desk.author("a", desk.here).pen = desk.pen("p", desk.here)
      try desk.here.save()
    }
    try desk.author("a", desk.there).pen = desk.pen("q", desk.there)
    try desk.there.save()
    try desk.pen("p", desk.here).owner = desk.author("b", desk.here)
    try desk.here.save()
    #expect(try desk.pairs().pens == [["aq", "bp"], ["aq", "bp"]])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are refused under the merge policy error`(_ store: EveryStore) throws {
    let desk = try Desk(store)
    desk.here.mergePolicy = .error
    try desk.author("a", desk.there).books.append(desk.book("x", desk.there))
    try desk.author("b", desk.here).books.append(desk.book("x", desk.here))
    try desk.there.save()
    #expect(throws: DataStoreError.conflict) { try desk.here.save() }
    #expect(try desk.pairs().books == [["ax"], ["ax"]])
  }
}
