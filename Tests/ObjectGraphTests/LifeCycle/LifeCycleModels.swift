import OpenSwiftData
import StoreTestSupport
import Testing

@Model
final class LifeBook {
  var title: String
  var note: String?
  var words: [String] = []
  var author: LifeAuthor
  var editor: LifeAuthor?
  @Relationship(inverse: \LifePage.book) var pages: [LifePage] = []
  var topics: [LifeTopic]? = []

  init(_ title: String, by author: LifeAuthor) {
    self.title = title
    self.author = author
  }
}

@Model
final class LifeAuthor {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class LifePage {
  var number: Int
  var book: LifeBook?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class LifeTopic {
  var word: String
  @Relationship(inverse: \LifeBook.topics) var books: [LifeBook] = []

  init(_ word: String) {
    self.word = word
  }
}

extension ContainerFixture {
  /// A fixture for books.
  static func ofBooks(_ store: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(
      store,
      for: LifeBook.self,
      LifeAuthor.self,
      LifePage.self,
      LifeTopic.self
    )
  }
}

extension LifeBook {
  /// A new book with everything that a book can have.
  static func full(_ title: String = "title") -> LifeBook {
    let book = LifeBook(title, by: LifeAuthor("author"))
    book.note = "note"
    book.words = ["a", "b"]
    book.editor = LifeAuthor("editor")
    book.pages = [LifePage(1), LifePage(2)]
    book.topics = [LifeTopic("topic")]
    return book
  }

  /// Reads a property of every kind.
  var everything: [String] {
    [title, note ?? "", words.joined(), author.name, editor?.name ?? ""]
      + pages.map { "\($0.number)" } + (topics ?? []).map(\.word)
  }

  /// Sets a property of every kind.
  func setEverything(_ text: String) {
    title = text
    note = nil
    words.append(text)
    author = LifeAuthor(text)
    editor = nil
    pages.append(LifePage(3))
    pages.removeFirst()
    topics = nil
    topics = [LifeTopic(text)]
  }
}

/// Two contexts on a new store with one book.
struct BookContexts {
  private let fixture: ContainerFixture
  let here: ModelContext
  let there: ModelContext

  init(_ store: EveryStore, with book: LifeBook? = .full()) throws {
    fixture = try ContainerFixture.ofBooks(store)
    let container = try fixture.open()
    here = ModelContext(container)
    there = ModelContext(container)
    guard let book else { return }
    let writer = ModelContext(container)
    writer.insert(book)
    try writer.save()
  }
}

/// One book in a state, with the context in which it is or was.
final class BookInState {
  private let fixture: ContainerFixture
  let container: ModelContainer
  var context: ModelContext?
  let book: LifeBook

  init(_ state: LifeCycle, on store: EveryStore) throws {
    fixture = try ContainerFixture.ofBooks(store)
    let container = try fixture.open()
    let context = ModelContext(container)
    self.container = container
    self.context = context
    guard state != .transient, state != .inserted else {
      book = .full()
      if state == .inserted { context.insert(book) }
      return
    }
    try {
      let writer = ModelContext(container)
      writer.insert(LifeBook.full())
      try writer.save()
    }()
    let found = try #require(try context.all(LifeBook.self).first)
    book = found
    switch state {
    case .changed: found.title = "title"
    case .deleted: context.delete(found)
    case .detached: context.reset()
    case .vanished:
      context.delete(found)
      try context.save()
    case .transient, .inserted, .registered: break
    }
  }

  /// Lets an event happen.
  func undergo(_ event: LifeCycle.Event) throws {
    switch event {
    case .insert: context?.insert(book)
    case .read: _ = book.everything
    case .set: book.note = "set"
    case .delete: context?.delete(book)
    case .save: try context?.save()
    case .rollback: context?.rollback()
    case .refresh: _ = try? context?.refresh(book)
    case .reset: context?.reset()
    case .contextEnds: context = nil
    case .deletedElsewhere:
      let other = ModelContext(container)
      for book in try other.all(LifeBook.self) { other.delete(book) }
      try other.save()
      _ = try context?.all(LifeBook.self)
    }
  }
}
