import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Objects of another context")
struct UnregisteredObjectTests {
  @Test(arguments: EveryStore.withTextKeys)
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

  @Test(arguments: EveryStore.withTextKeys)
  func `cannot be inserted, and deleting them has no effect`(_ store: EveryStore) throws {
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
    #expect(!book.isDeleted && !here.hasChanges)
    #expect(throws: SwiftDataError.missingModelContext) { try here.refresh(book) }
    try here.save()
    there.delete(book)
    there.delete(book)
    try there.save()
    there.delete(book)
    try there.save()
  }
}
