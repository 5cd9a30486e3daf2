import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Objects of another context")
struct UnregisteredObjectTests {
  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `cannot be related, and saves fail until the reference is removed`(
    _ store: EveryStore
  ) throws {
    let contexts = try BookContexts(store)
    let (here, there) = (contexts.here, contexts.there)
    let book = try #require(try here.all(LifeBook.self).first)
    let foreign = try #require(try there.all(LifeBook.self).first)
    let page = LifePage(9)
    here.insert(page)
    page.book = foreign
    for _ in 0..<2 {
      let error = try #require(throws: SwiftDataError.self) { try here.save() }
      #expect(error == .modelValidationFailure)
      #expect(error.entity == "LifePage" && error.property == "book")
    }
    #expect(!there.hasChanges && foreign.pages.count == 2)
    page.book = book
    try here.save()
    book.topics = foreign.topics
    #expect(throws: SwiftDataError.modelValidationFailure) { try here.save() }
    here.rollback()
    try here.save()
    #expect(try there.all(LifeBook.self).first?.pages.map(\.number) == [1, 2, 9])
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `cannot be inserted or deleted`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store, with: nil)
    let (here, there) = (contexts.here, contexts.there)
    let book = LifeBook.full()
    there.insert(book)
    try there.save()
    here.insert(book)
    let error = try #require(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .modelValidationFailure && error.entity == "LifeBook")
    #expect(book.modelContext === there)
    here.delete(book)
    #expect(!book.isDeleted && here.hasChanges)
    let refusal = try #require(throws: SwiftDataError.self) { try here.save() }
    #expect(refusal == .modelValidationFailure && refusal.entity == "LifeBook")
    #expect(throws: SwiftDataError.missingModelContext) { try here.refresh(book) }
    try here.save()
    #expect(try ModelContext(there.container).all(LifeBook.self).count == 1)
    here.delete(book)
    here.rollback()
    try here.save()
    there.delete(book)
    there.delete(book)
    try there.save()
    there.delete(book)
    try there.save()
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `cannot be deleted in the context of another store`(_ store: EveryStore) throws {
    let contexts = try (0..<2).map { _ in try BookContexts(store) }
    let (here, foreign) = (contexts[0].here, try contexts[1].here.all(LifeBook.self)[0])
    #expect(try here.all(LifeBook.self)[0].persistentModelID.key == foreign.persistentModelID.key)
    here.delete(foreign)
    let error = try #require(throws: SwiftDataError.self) { try here.save() }
    #expect(error == .modelValidationFailure && error.entity == "LifeBook")
    for context in contexts {
      #expect(try ModelContext(context.here.container).all(LifeBook.self).count == 1)
    }
  }
}
