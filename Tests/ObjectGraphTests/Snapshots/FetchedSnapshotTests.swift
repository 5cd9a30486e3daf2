import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Fetched snapshots") struct FetchedSnapshotTests {
  /// Creates a store with books, whose folder exists while the test retains the fixture.
  private static func filled(_ store: EveryStore) throws -> (ContainerFixture, ModelContainer) {
    let fixture = try ContainerFixture.ofBooks(store)
    let container = try fixture.open()
    let context = ModelContext(container)
    let topics = ["sea", "sky", "ice"].map(LifeTopic.init)
    let editor = LifeAuthor("editor")
    for number in 1...4 {
      let book = LifeBook.full("book \(number)")
      book.pages = (1...number).map(LifePage.init)
      book.topics = Array(topics.prefix(number % 4)).reversed()
      book.editor = number == 2 ? nil : editor
      context.insert(book)
    }
    try context.save()
    // The order of one list does not follow from the keys of its objects.
    try context.fetch(byTitle).last?.pages.reverse()
    try context.save()
    return (fixture, container)
  }

  private static let byTitle = FetchDescriptor<LifeBook>(sortBy: [SortDescriptor(\.title)])

  @Test(arguments: EveryStore.withTextKeys)
  func `equal snapshots of the fetched objects`(_ store: EveryStore) throws {
    let (fixture, container) = try Self.filled(store)
    defer { withExtendedLifetime(fixture) {} }
    let objects = try ModelContext(container).fetch(Self.byTitle)
    let context = ModelContext(container)
    let snapshots = try context.fetchSnapshots(Self.byTitle)
    #expect(try snapshots == objects.map { try $0.snapshot() })
    // Equality ignores versions, which detect stale snapshots.
    #expect(try snapshots.map(\.version) == objects.map { try $0.snapshot().version })
    #expect(snapshots.allSatisfy { $0.version != nil })
    #expect(
      try context.fetchSnapshots(Self.byTitle, including: \.pages, \LifeBook.author)
        == objects.map { try $0.snapshot(including: \.pages, \LifeBook.author) }
    )
    // A cycle: books, their topics, and the books of these topics.
    #expect(
      try context.fetchSnapshots(
        Self.byTitle,
        including: \.topics,
        \LifeTopic.books,
        \LifePage.book
      )
        == objects.map {
          try $0.snapshot(including: \.topics, \LifeTopic.books, \LifePage.book)
        }
    )
    #expect(
      try context.fetchSnapshots(Self.byTitle, including: \.pages, \LifePage.book)
        == objects.map { try $0.snapshot(including: \.pages, \LifePage.book) }
    )
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `create no objects without unsaved changes, and show unsaved changes`(
    _ store: EveryStore
  ) throws {
    let (fixture, container) = try Self.filled(store)
    defer { withExtendedLifetime(fixture) {} }
    let context = ModelContext(container)
    _ = try context.fetchSnapshots(Self.byTitle, including: \.pages)
    #expect(context.debugDescription.hasPrefix("ModelContext: 0 registered"))
    let book = try #require(try context.fetch(Self.byTitle).first)
    book.title = "a changed title"
    #expect(try context.fetchSnapshots(Self.byTitle).first?.title == "a changed title")
    let id = book.persistentModelID
    #expect(try context.fetchSnapshot(of: LifeBook.self, for: id)?.title == "a changed title")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `of one object are found by its identifier`(_ store: EveryStore) throws {
    let (fixture, container) = try Self.filled(store)
    defer { withExtendedLifetime(fixture) {} }
    let book = try #require(try ModelContext(container).fetch(Self.byTitle).last)
    let id = book.persistentModelID
    let context = ModelContext(container)
    let found = try context.fetchSnapshot(of: LifeBook.self, for: id, including: \.pages)
    #expect(try found == book.snapshot(including: \.pages))
    #expect(try context.fetchSnapshot(of: LifeBook.self, for: id) == book.snapshot())
    #expect(try context.fetchSnapshot(of: LifeTopic.self, for: id) == nil)
    try context.delete(model: LifeBook.self)
    try context.save()
    #expect(try context.fetchSnapshot(of: LifeBook.self, for: id) == nil)
  }

  @Test func `refuse a key path to an attribute`() throws {
    let context = ModelContext(try Self.filled(.memory).1)
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetchSnapshots(Self.byTitle, including: \.title)
    }
  }
}
