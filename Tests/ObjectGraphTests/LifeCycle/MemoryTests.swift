import OpenSwiftData
import StoreTestSupport
import Testing

/// An action of a program before it releases everything.
private enum Deed: CaseIterable, CustomTestStringConvertible {
  case savesAndReads, leavesUnsaved, deletes, deletesUnsaved, rollsBack, findsGone, resets, evicts

  var testDescription: String { "\(self)" }

  func perform(_ book: LifeBook, _ context: ModelContext, in container: ModelContainer) throws {
    switch self {
    case .savesAndReads: _ = book.everything
    case .leavesUnsaved:
      book.setEverything("unsaved")
      context.insert(Self.sequel(to: book))
    case .deletes:
      for page in book.pages { context.delete(page) }
      context.delete(book)
      try context.save()
      #expect(book.lifeCycle == .vanished && book.pages.isEmpty)
    case .deletesUnsaved:
      let sequel = Self.sequel(to: book)
      context.insert(sequel)
      context.delete(sequel)
      for page in sequel.pages { context.delete(page) }
      try context.save()
    case .rollsBack:
      let sequel = Self.sequel(to: book)
      context.insert(sequel)
      context.rollback()
      #expect(sequel.lifeCycle == .transient && sequel.pages.count == 1)
      #expect(sequel.topics?.isEmpty == true && sequel.editor == nil)
    case .findsGone:
      let other = ModelContext(container)
      for page in try other.all(LifePage.self) { other.delete(page) }
      for book in try other.all(LifeBook.self) { other.delete(book) }
      try other.save()
      _ = try context.all(LifeBook.self)
      #expect(book.lifeCycle == .vanished && book.pages.isEmpty)
    case .resets: context.reset()
    case .evicts: context.evictUnused()
    }
  }

  /// Creates a book with its own page and with related objects of another book.
  private static func sequel(to book: LifeBook) -> LifeBook {
    let sequel = LifeBook("sequel", by: LifeAuthor("other"))
    sequel.pages = [LifePage(1)]
    sequel.editor = book.editor
    sequel.topics = book.topics
    return sequel
  }
}

/// A weak reference to an object.
private struct Weak {
  private(set) weak var object: (any PersistentModel)?

  init(_ object: any PersistentModel) {
    self.object = object
  }
}

@Suite("Objects that a program releases")
struct MemoryTests {
  @Test(arguments: EveryStore.withTextKeys, Deed.allCases)
  fileprivate func `are freed with their context and store`(
    store: EveryStore,
    deed: Deed
  ) throws {
    let fixture = try ContainerFixture.ofBooks(store)
    let left = try {
      let container = try fixture.open()
      let context = ModelContext(container)
      let book = LifeBook.full()
      context.insert(book)
      try context.save()
      let objects: [(any PersistentModel)?] = [
        book, book.author, book.editor, book.pages.first, book.topics?.first,
      ]
      try deed.perform(book, context, in: container)
      return objects.compactMap { $0.map(Weak.init) }
    }()
    #expect(left.count == 5)
    #expect(left.compactMap(\.object).isEmpty)
  }
}
