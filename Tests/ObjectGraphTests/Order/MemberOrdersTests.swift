import OpenSwiftData
import StoreTestSupport
import Testing

/// The order that a save writes for a to-many relationship with an inverse.
@Suite struct `The order of related objects` {
  private let script = RecordingScript()
  private let context: ModelContext
  private let shelf = Shelf("a")

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Schema(Shelf.self, Book.self),
        configurations: RecordingStoreConfiguration(script: script)
      )
    )
    context.insert(Shelf("other"))
    context.insert(shelf)
  }

  /// Saves a shelf with books in this order, and returns the books in the order of their keys.
  private func fill(_ order: [Int]) throws -> [Book] {
    let books = order.sorted().map { Book("\($0)") }
    for book in books { context.insert(book) }
    shelf.books = order.map { books[$0] }
    try context.save()
    script.forgetCalls()
    return books
  }

  /// Sets the row of the shelf that the store returns.
  private func setStored(_ list: StoreValue) throws {
    let entity = try #require(context.container.schema.storeSchema.entity(named: "Shelf"))
    script.respond(
      with: [
        DefaultSnapshot(
          persistentIdentifier: shelf.persistentModelID,
          entity: entity,
          values: entity.properties.map { $0.name == "books" ? list : .string("a") }
        )
      ]
    )
  }

  /// Saves, and returns the order that the save wrote, or `nil` if it wrote none.
  private func written() throws -> StoreValue? {
    try context.save()
    let applied = script.calls.compactMap { call -> StoreChanges? in
      if case .apply(let changes) = call { return changes }
      return nil
    }
    let changes = try #require(applied.first)
    let updates = changes.updated.filter { $0.identifier == shelf.persistentModelID }
    return updates.first?.changes.first?.value
  }

  private var requests: Int {
    script.calls.filter {
      if case .apply = $0 { return false }
      return true
    }.count
  }

  @Test func `is not written if a new object is appended`() throws {
    _ = try fill(Array((0..<500).reversed()))
    shelf.books.append(Book("new"))
    #expect(try written() == nil)
    #expect(requests == 0)
  }

  @Test func `is not written if a new object joins through its inverse`() throws {
    _ = try fill(Array((0..<500).reversed()))
    let book = Book("new")
    book.shelf = shelf
    #expect(try written() == nil)
    #expect(requests == 0)
  }

  @Test func `is written if a new object is appended after one with a higher key`() throws {
    let books = try fill([0, 1, 2])
    let (first, second) = (Book("first"), Book("second"))
    context.insert(first)
    context.insert(second)
    second.shelf = shelf
    #expect(shelf.books.count == 4)
    shelf.books.append(first)
    guard case .identifiers(let list)? = try written() else {
      Issue.record("no order was written")
      return
    }
    #expect(list.dropLast(2) == books.map(\.persistentModelID)[...])
  }

  /// A search through all books for each new one would take half an hour.
  @Test func `is not written if 10,000 new objects join through their inverse`() throws {
    _ = try fill([])
    for number in 0..<10_000 { Book("\(number)").shelf = shelf }
    #expect(shelf.books.count == 10_000)
    #expect(try written() == nil)
    #expect(requests == 0)
  }

  @Test func `is not written if an object is removed`() throws {
    let books = try fill([2, 0, 1])
    shelf.books.removeFirst()
    #expect(books[2].shelf == nil)
    #expect(try written() == nil)
  }

  @Test func `is written if a new object is inserted between others`() throws {
    _ = try fill([0, 1])
    let book = Book("new")
    shelf.books.insert(book, at: 1)
    let list = shelf.books
    let value = try written()
    guard case .identifiers(let identifiers) = value else {
      Issue.record("an order was expected, not \(String(describing: value))")
      return
    }
    #expect(identifiers.count == 3)
    #expect(identifiers.first == list.first?.persistentModelID)
    #expect(identifiers.last == list.last?.persistentModelID)
  }

  /// An identifier has its number from the first time that it is read.
  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `is stored if objects were inserted in another order than that of their identifiers`(
    _ store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(store, for: Shelf.self, Book.self)
    let context = try fixture.context()
    let books = (0..<3).map { Book("\($0)") }
    #expect(Set(books.map(\.persistentModelID)).count == 3)
    for book in books.reversed() { context.insert(book) }
    let shelf = Shelf("a")
    shelf.books = books
    context.insert(shelf)
    try context.save()
    let fresh = try fixture.context()
    #expect(try fresh.all(Shelf.self).first?.books.map(\.title) == ["0", "1", "2"])
  }

  @Test func `is written if objects change positions`() throws {
    let books = try fill([0, 1])
    shelf.books.reverse()
    #expect(
      try written() == .identifiers([books[1].persistentModelID, books[0].persistentModelID])
    )
  }

  @Test func `is written if a saved object joins and its key would sort it elsewhere`() throws {
    let stray = Book("stray")
    context.insert(stray)
    let books = try fill([0, 1])
    try setStored(.null)
    stray.shelf = shelf
    #expect(shelf.books.map(\.title) == ["0", "1", "stray"])
    #expect(
      try written()
        == .identifiers(
          [books[0], books[1], stray].map(\.persistentModelID)
        )
    )
    #expect(requests == 1)
  }

  @Test func `is not written if a saved object joins with the largest key`() throws {
    let books = try fill([0, 1])
    let stray = Book("stray")
    context.insert(stray)
    try context.save()
    script.forgetCalls()
    try setStored(.identifiers(books.map(\.persistentModelID)))
    stray.shelf = shelf
    #expect(try written() == nil)
  }

  @Test func `is written if a saved object leaves and joins again`() throws {
    let books = try fill([1, 0, 2])
    try setStored(.identifiers([books[1], books[0], books[2]].map(\.persistentModelID)))
    books[1].shelf = nil
    books[1].shelf = shelf
    #expect(
      try written() == .identifiers([books[0], books[2], books[1]].map(\.persistentModelID))
    )
  }

  @Test func `needs two requests if the relationship was not loaded`() throws {
    let stray = Book("stray")
    context.insert(stray)
    let books = try fill([0, 1])
    try setStored(.identifiers(books.map(\.persistentModelID)))
    context.evictUnused()
    stray.shelf = shelf
    script.forgetCalls()
    #expect(try written() == nil, "the store puts an unlisted object after the listed ones")
    #expect(requests == 2)
  }
}

@Model
private final class Shelf {
  var name: String
  @Relationship(inverse: \Book.shelf) var books: [Book] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class Book {
  var title: String
  var shelf: Shelf?

  init(_ title: String) {
    self.title = title
  }
}
