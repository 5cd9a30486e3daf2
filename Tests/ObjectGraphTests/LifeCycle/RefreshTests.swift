import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Refreshing objects")
struct RefreshTests {
  /// Two contexts, each with its object for one book.
  private struct Pair {
    private let fixture: ContainerFixture
    let here: ModelContext
    let there: ModelContext
    let mine: LifeBook
    let theirs: LifeBook

    init(_ store: EveryStore) throws {
      fixture = try ContainerFixture.ofBooks(store)
      // Two stores on one file share no memory, as if they were in two processes.
      here = try fixture.context()
      there = try store == .sqlite ? fixture.context() : ModelContext(here.container)
      there.insert(LifeBook.full())
      try there.save()
      mine = try #require(try here.all(LifeBook.self).first)
      theirs = try #require(try there.all(LifeBook.self).first)
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `reads what others saved, including relationships`(_ store: EveryStore) throws {
    let pair = try Pair(store)
    let old = pair.mine.everything
    #expect(old == pair.theirs.everything)
    pair.theirs.setEverything("theirs")
    try pair.there.save()
    #expect(pair.mine.everything == old)
    #expect(try pair.here.refresh(pair.mine))
    #expect(pair.mine.everything == pair.theirs.everything)
    #expect(!pair.here.hasChanges)
    pair.theirs.setEverything("again")
    try pair.there.save()
    try pair.here.refreshAll()
    #expect(pair.mine.everything == pair.theirs.everything)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is also done by a fetch`(_ store: EveryStore) throws {
    let pair = try Pair(store)
    _ = pair.mine.everything
    pair.theirs.title = "theirs"
    pair.theirs.editor = LifeAuthor("theirs")
    pair.theirs.topics = [LifeTopic("theirs")]
    try pair.there.save()
    _ = try pair.here.all(LifeBook.self)
    #expect(pair.mine.everything == pair.theirs.everything)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keeps unsaved changes, and a rollback restores the new values`(
    _ store: EveryStore
  ) throws {
    let pair = try Pair(store)
    pair.mine.title = "mine"
    pair.mine.editor = nil
    pair.theirs.title = "theirs"
    pair.theirs.note = "theirs"
    pair.theirs.editor = LifeAuthor("theirs")
    try pair.there.save()
    #expect(try pair.here.refresh(pair.mine))
    #expect(pair.mine.title == "mine" && pair.mine.editor == nil)
    #expect(pair.mine.note == "theirs" && pair.mine.lifeCycle == .changed)
    pair.here.rollback()
    #expect(pair.mine.title == "theirs" && pair.mine.editor?.name == "theirs")
    #expect(!pair.here.hasChanges)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keeps unsaved related objects, whichever end they joined through`(
    _ store: EveryStore
  ) throws {
    let pair = try Pair(store)
    let page = LifePage(3)
    pair.here.insert(page)
    page.book = pair.mine
    pair.mine.topics?.append(LifeTopic("mine"))
    #expect(pair.mine.pages.map(\.number) == [1, 2, 3])
    pair.theirs.title = "theirs"
    pair.there.insert(LifeBook.full("other"))
    try pair.there.save()
    #expect(try pair.here.all(LifeBook.self).count == 2)
    #expect(pair.mine.pages.map(\.number) == [1, 2, 3])
    try pair.here.refresh(pair.mine)
    #expect(pair.mine.title == "theirs" && pair.mine.pages.map(\.number) == [1, 2, 3])
    #expect(pair.mine.topics?.map(\.word) == ["topic", "mine"])
    try pair.here.save()
    _ = try pair.there.all(LifeBook.self)
    try pair.there.refresh(pair.theirs)
    #expect(pair.theirs.everything == pair.mine.everything)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `lets a save succeed that was a conflict`(_ store: EveryStore) throws {
    let pair = try Pair(store)
    pair.here.mergePolicy = .error
    pair.mine.title = "mine"
    pair.theirs.title = "theirs"
    try pair.there.save()
    #expect(throws: DataStoreError.conflict) { try pair.here.save() }
    try pair.here.refresh(pair.mine)
    try pair.here.save()
    _ = try pair.there.all(LifeBook.self)
    #expect(pair.theirs.title == "mine")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `discards unsaved changes on both ends on request`(_ store: EveryStore) throws {
    let pair = try Pair(store)
    let pages = pair.mine.pages
    let topic = try #require(pair.mine.topics?.first)
    let other = LifeBook("other", by: pair.mine.author)
    pair.here.insert(other)
    pair.mine.title = "mine"
    pair.mine.topics = []
    pair.mine.pages = [pages[1]]
    #expect(topic.books.isEmpty && pages[0].book == nil)
    try pair.here.refresh(pair.mine, mergeChanges: false)
    #expect(pair.mine.lifeCycle == .registered)
    #expect(pair.mine.everything == pair.theirs.everything)
    #expect(topic.books.map(\.title) == ["title"] && pages[0].book === pair.mine)
    pair.here.delete(pair.mine)
    try pair.here.refresh(pair.mine, mergeChanges: false)
    #expect(pair.mine.lifeCycle == .registered)
    try pair.here.save()
    let found = try pair.there.all(LifeBook.self)
    #expect(found.map(\.title) == ["title", "other"])
    #expect(pair.theirs.pages.map(\.number) == [1, 2] && pair.theirs.topics?.count == 1)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `does nothing for new objects, and refuses objects without a context`(
    _ store: EveryStore
  ) throws {
    let contexts = try BookContexts(store, with: nil)
    let context = contexts.here
    let book = LifeBook.full()
    #expect(throws: SwiftDataError.missingModelContext) { try context.refresh(book) }
    context.insert(book)
    #expect(try context.refresh(book))
    #expect(book.lifeCycle == .inserted)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a reset unregisters all objects, and a fetch creates new ones`(_ store: EveryStore) throws {
    let pair = try Pair(store)
    _ = pair.mine.everything
    pair.mine.title = "mine"
    let new = LifeBook.full("new")
    pair.here.insert(new)
    pair.here.reset()
    #expect(pair.mine.lifeCycle == .detached && new.lifeCycle == .transient)
    #expect(pair.mine.title == "mine" && pair.mine.words == ["a", "b"])
    #expect(pair.mine.pages.isEmpty && pair.mine.editor == nil && pair.mine.author.isDeleted)
    #expect(!pair.here.hasChanges)
    try pair.here.save()
    let found = try pair.here.all(LifeBook.self)
    #expect(found.map(\.title) == ["title"] && found.first !== pair.mine)
    #expect(found.first?.persistentModelID == pair.mine.persistentModelID)
  }
}
