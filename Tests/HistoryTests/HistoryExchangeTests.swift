import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Renamings that meet other names of the same model, on each store that migrates.
@Suite struct `History across exchanged names` {
  private static let stores = EveryStore.migrating
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ version: any VersionedSchema.Type,
    _ kind: EveryStore
  ) throws -> ModelContext {
    let url = kind.url(in: folder)
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version),
        store: url + (url.contains("?") ? "&" : "?") + "history=values"
      )
    )
  }

  /// Saves a page, changes it, and deletes another; returns the position before the changes.
  private func write(_ kind: EveryStore) throws -> DefaultHistoryToken {
    let context = try open(PagesV1.self, kind)
    let shelf = PagesV1.Shelf("s")
    context.insert(shelf)
    let page = PagesV1.Page("h1", "f1")
    context.insert(page)
    page.shelf = shelf
    let gone = PagesV1.Page("h9", "f9")
    context.insert(gone)
    gone.shelf = shelf
    try context.save()
    let token = try context.currentHistoryToken()
    (page.head, page.foot) = ("h2", "f2")
    page.shelf = nil
    try context.save()
    context.delete(gone)
    try context.save()
    return token
  }

  private func text(_ page: PagesV2.Page) -> String {
    "\(page.foot) \(page.head) \(page.place?.title ?? "-")"
  }

  /// The update of the page after a position.
  private func update(_ context: ModelContext, _ token: DefaultHistoryToken) throws -> StoreChange {
    try #require(
      try context.diff(from: token).first {
        $0.kind == .update && $0.identifier.entityName == "Page"
      }
    )
  }

  @Test(arguments: stores)
  func `shows each value under its new name`(kind: EveryStore) throws {
    let token = try write(kind)
    let context = try open(PagesV2.self, kind)
    let past = ModelContext(try context.container.asOf(token))
    let pages = try past.fetch(FetchDescriptor<PagesV2.Page>(sortBy: [SortDescriptor(\.foot)]))
    #expect(pages.map(text) == ["h1 f1 s", "h9 f9 s"])
    let shelves = try past.fetch(FetchDescriptor<PagesV2.Shelf>())
    #expect(shelves.first?.contents.map(\.foot).sorted() == ["h1", "h9"])
    let update = try update(context, token)
    #expect(update.before["foot"] == .string("h1") && update.after["foot"] == .string("h2"))
    #expect(update.before["head"] == .string("f1") && update.after["head"] == .string("f2"))
  }

  @Test(arguments: stores)
  func `is reverted to the values of the same properties`(kind: EveryStore) throws {
    _ = try write(kind)
    let context = try open(PagesV2.self, kind)
    let transactions = try context.history()
    try context.revert(transactions[2])
    try context.revert(transactions[1])
    try context.save()
    let fresh = ModelContext(context.container)
    let pages = try fresh.fetch(FetchDescriptor<PagesV2.Page>(sortBy: [SortDescriptor(\.foot)]))
    #expect(pages.map(text) == ["h1 f1 s", "h9 f9 s"])
  }

  /// The third version repeats the declarations, after the second one was written to.
  @Test(arguments: stores)
  func `follows names that were exchanged once`(kind: EveryStore) throws {
    let token = try write(kind)
    let middle: DefaultHistoryToken
    do {
      let context = try open(PagesV2.self, kind)
      middle = try context.currentHistoryToken()
      let page = try #require(try context.fetch(FetchDescriptor<PagesV2.Page>()).first)
      page.foot = "h3"
      try context.save()
    }
    let context = try open(PagesV3.self, kind)
    let page = try #require(try context.fetch(FetchDescriptor<PagesV3.Page>()).first)
    #expect(page.foot == "h3" && page.head == "f2")
    for (position, feet) in [(token, ["h1", "h9"]), (middle, ["h2"])] {
      let past = ModelContext(try context.container.asOf(position))
      let pages = try past.fetch(FetchDescriptor<PagesV3.Page>(sortBy: [SortDescriptor(\.foot)]))
      #expect(pages.map(\.foot) == feet)
    }
    try context.revert(try #require(context.history().last))
    #expect(page.foot == "h2" && page.head == "f2")
  }

  /// A property with the name of a removed one says nothing about the past.
  @Test(arguments: stores)
  func `is not that of a new property with an old name`(kind: EveryStore) throws {
    let token = try write(kind)
    _ = try open(PagesV4.self, kind)
    let context = try open(PagesV5.self, kind)
    let page = try #require(try context.fetch(FetchDescriptor<PagesV5.Page>()).first)
    #expect(page.foot == "new")
    let update = try update(context, token)
    #expect(update.before["foot"] == nil && update.before["head"] == .string("h1"))
    // Either the past is refused with the reason, or it has no value of the old property.
    do {
      let past = ModelContext(try context.container.asOf(token))
      let pages = try past.fetch(FetchDescriptor<PagesV5.Page>(sortBy: [SortDescriptor(\.head)]))
      #expect(pages.map(\.head) == ["h1", "h9"])
      #expect(pages.allSatisfy { $0.foot == "new" })
    } catch let error as DataStoreError {
      #expect(error == .unsupportedFeature, "\(error)")
    }
  }
}

private enum PagesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self, Shelf.self] }

  @Model final class Page {
    var head: String
    var foot: String
    var shelf: Shelf?

    init(_ head: String, _ foot: String) {
      self.head = head
      self.foot = foot
    }
  }

  @Model final class Shelf {
    var title: String
    @Relationship(inverse: \Page.shelf) var pages: [Page] = []

    init(_ title: String) { self.title = title }
  }
}

/// Exchanges two names, and renames both ends of a relationship.
private enum PagesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self, Shelf.self] }

  @Model final class Page {
    @Attribute(originalName: "foot") var head: String
    @Attribute(originalName: "head") var foot: String
    @Relationship(originalName: "shelf") var place: Shelf?

    init(_ head: String) {
      self.head = head
      foot = head
    }
  }

  @Model final class Shelf {
    var title: String
    @Relationship(originalName: "pages", inverse: \Page.place) var contents: [Page] = []

    init(_ title: String) { self.title = title }
  }
}

/// Repeats the exchange, and renames the relationship back.
private enum PagesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self, Shelf.self] }

  @Model final class Page {
    @Attribute(originalName: "foot") var head: String
    @Attribute(originalName: "head") var foot: String
    @Relationship(originalName: "place") var shelf: Shelf?

    init(_ head: String) {
      self.head = head
      foot = head
    }
  }

  @Model final class Shelf {
    var title: String
    @Relationship(originalName: "contents", inverse: \Page.shelf) var pages: [Page] = []

    init(_ title: String) { self.title = title }
  }
}

/// Lacks a property of the first version.
private enum PagesV4: VersionedSchema {
  static let versionIdentifier = Schema.Version(4, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self, Shelf.self] }

  @Model final class Page {
    var head: String
    var shelf: Shelf?

    init(_ head: String) { self.head = head }
  }

  @Model final class Shelf {
    var title: String
    @Relationship(inverse: \Page.shelf) var pages: [Page] = []

    init(_ title: String) { self.title = title }
  }
}

/// Has a new property with its name.
private enum PagesV5: VersionedSchema {
  static let versionIdentifier = Schema.Version(5, 0, 0)
  static var models: [any PersistentModel.Type] { [Page.self, Shelf.self] }

  @Model final class Page {
    var head: String
    var foot: String = "new"
    var shelf: Shelf?

    init(_ head: String) { self.head = head }
  }

  @Model final class Shelf {
    var title: String
    @Relationship(inverse: \Page.shelf) var pages: [Page] = []

    init(_ title: String) { self.title = title }
  }
}
