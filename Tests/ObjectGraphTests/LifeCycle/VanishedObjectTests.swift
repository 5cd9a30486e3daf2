import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("An object whose row is deleted")
struct VanishedObjectTests {
  private func deleteBooks(in context: ModelContext) throws {
    for book in try context.all(LifeBook.self) { context.delete(book) }
    try context.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is marked as deleted at the next fetch, and related objects lose it`(
    _ store: EveryStore
  ) throws {
    let contexts = try BookContexts(store)
    let (here, there) = (contexts.here, contexts.there)
    let book = try #require(try here.all(LifeBook.self).first)
    let page = try #require(book.pages.first)
    let topic = try #require(book.topics?.first)
    #expect(page.book === book && topic.books.count == 1)
    try deleteBooks(in: there)
    #expect(!book.isDeleted)
    _ = try here.all(LifePage.self)
    _ = try here.all(LifeTopic.self)
    #expect(book.isDeleted && book.lifeCycle == .vanished && book.title == "title")
    #expect(page.book == nil && topic.books.isEmpty)
    here.delete(book)
    try here.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is absent from relationships that are loaded later`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store)
    let (here, there) = (contexts.here, contexts.there)
    let page = try #require(try here.all(LifePage.self).first)
    let topic = try #require(try here.all(LifeTopic.self).first)
    try deleteBooks(in: there)
    #expect(page.book == nil)
    #expect(topic.books.isEmpty)
    try here.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is a stand-in in a required relationship that is loaded later`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store)
    let (here, there) = (contexts.here, contexts.there)
    let book = try #require(try here.all(LifeBook.self).first)
    let authors = try there.all(LifeAuthor.self)
    for other in try there.all(LifeBook.self) { other.author = LifeAuthor("successor") }
    for author in authors { there.delete(author) }
    try there.save()
    #expect(book.author.isDeleted && book.author.lifeCycle == .vanished && book.author.name == "")
    #expect(book.editor == nil)
    book.title = "changed"
    try? here.save()
    book.author = LifeAuthor("new")
    try here.save()
    #expect(try there.all(LifeBook.self).first?.author.name == "new")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `cannot be saved, and the error explains what to do`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store)
    let (here, there) = (contexts.here, contexts.there)
    let book = try #require(try here.all(LifeBook.self).first)
    try deleteBooks(in: there)
    book.title = "changed"
    for _ in 0..<2 {
      let error = try #require(throws: DataStoreError.self) { try here.save() }
      #expect(error == .conflict && error.entity == "LifeBook")
      #expect(error.mergeConflicts.map(\.kind) == [.deletedThere])
      #expect(error.mergeConflicts.first?[\LifeBook.title]?.mine == "changed")
    }
    #expect(try !here.refresh(book))
    #expect(book.lifeCycle == .vanished && book.title == "changed")
    try here.save()
  }

  @Test(arguments: [EveryStore.sqlite])
  func `is detected if another process deleted it`(_ store: EveryStore) throws {
    let fixture = try ContainerFixture.ofBooks(store)
    let (here, there) = (try fixture.context(), try fixture.context())
    there.insert(LifeBook.full())
    there.insert(LifeBook.full("second"))
    try there.save()
    let books = try here.all(LifeBook.self)
    try deleteBooks(in: there)
    #expect(books[0].pages.isEmpty && books[0].author.name == "author")
    #expect(try here.all(LifeBook.self).isEmpty)
    books[0].title = "changed"
    #expect(throws: DataStoreError.conflict) { try here.save() }
    try here.refreshAll()
    #expect(books.allSatisfy { $0.lifeCycle == .vanished })
    #expect(!here.hasChanges)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keeps its values after all data was erased`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store)
    let here = contexts.here
    let book = try #require(try here.all(LifeBook.self).first)
    try here.container.erase()
    #expect(try here.all(LifePage.self).isEmpty)
    #expect(book.lifeCycle == .vanished && book.title == "title")
    here.insert(LifeBook.full("new"))
    try here.save()
    #expect(try here.all(LifeBook.self).map(\.title) == ["new"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is returned for an identifier without a row`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store)
    let (here, there) = (contexts.here, contexts.there)
    let stored = try #require(try there.all(LifeBook.self).first).persistentModelID
    let elsewhere = PersistentIdentifier.Scope(storeIdentifier: "other", entityName: "LifeBook")
    let nowhere = PersistentIdentifier.Scope(
      storeIdentifier: stored.storeIdentifier,
      entityName: "Unheard"
    )
    let unknown = [
      PersistentIdentifier(scope: stored.scope, key: .integer(99_999)),
      PersistentIdentifier(scope: stored.scope, key: .text("x")),
      PersistentIdentifier(scope: elsewhere, key: stored.key),
      PersistentIdentifier(scope: nowhere, key: stored.key),
      LifeBook.full().persistentModelID,
    ]
    for identifier in unknown {
      let object = here.model(for: identifier)
      #expect(object.isDeleted && object.lifeCycle == .vanished && object.modelContext == nil)
      #expect(object.persistentModelID == identifier)
    }
    #expect((here.model(for: stored) as? LifeBook)?.title == "title")
    try deleteBooks(in: there)
    #expect(!here.model(for: stored).isDeleted)
    _ = try here.all(LifeBook.self)
    #expect(here.model(for: stored).isDeleted)
  }
}
