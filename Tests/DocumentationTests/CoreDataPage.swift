import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

// snippet.bookmark-entity
@Model
final class BookmarkEntity {
  var title: String?
  var url: String?
  var isFolder: Bool
  var parent: BookmarkEntity?
  @Relationship(inverse: \BookmarkEntity.parent) var children: [BookmarkEntity]

  init(isFolder: Bool) {
    self.isFolder = isFolder
    children = []
  }
}
// snippet.end

/// The code of the pages about files of Core Data.
@Suite struct `Files of Core Data in the guides` {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    let files = URL(filePath: #filePath).appending(path: "../../CoreDataStoreTests/Files")
      .standardized
    for ending in ["", "-wal"] {
      let name = "ddg-Bookmarks_V1.sqlite" + ending
      try FileManager.default.copyItem(at: files.appending(path: name), to: folder.file(name))
    }
    path = folder.file("ddg-Bookmarks_V1.sqlite").path
  }

  @Test func `are opened with model classes`() throws {
    // snippet.open-core-data
    let container = try ModelContainer(for: BookmarkEntity.self, store: "coredata:\(path)")
    let context = ModelContext(container)
    let folders = FetchDescriptor<BookmarkEntity>(
      predicate: #Predicate { $0.isFolder && $0.parent == nil },
      sortBy: [SortDescriptor(\.title)]
    )
    for folder in try context.fetch(folders) {
      print(folder.title ?? "-", folder.children.map { $0.title ?? "-" })
    }
    // snippet.end
    #expect(try context.fetch(folders).map(\.title).contains("bookmarks_root"))
    // snippet.explain-core-data
    let explanation = try context.explain(folders)
    print(explanation.isNative, explanation.store.statements)
    // snippet.end
    #expect(explanation.isNative)
  }

  @Test func `are copied to a new store once`() throws {
    let location = folder.file("bookmarks.db").path
    #expect(
      try ModelContext(openBookmarks(at: location)).fetchCount(FetchDescriptor<BookmarkEntity>())
        == 10
    )
    let context = ModelContext(try openBookmarks(at: location))
    context.insert(BookmarkEntity(isFolder: true))
    try context.save()
    #expect(
      try ModelContext(openBookmarks(at: location)).fetchCount(FetchDescriptor<BookmarkEntity>())
        == 11
    )
  }

  private func openBookmarks(at location: String) throws -> ModelContainer {
    try Bookmarks.open(at: location, takingOver: path)
  }

  @Test func `are test fixtures of an old version`() throws {
    // snippet.core-data-fixture
    let old = try ModelContainer(for: BookmarkEntity.self, store: "coredata:\(path)")
    let new = try ModelContainer(for: BookmarkEntity.self, store: "memory:")
    try old.copy(to: new)
    let context = ModelContext(new)
    let root = try context.fetch(
      FetchDescriptor<BookmarkEntity>(predicate: #Predicate { $0.title == "bookmarks_root" })
    )
    #expect(root.first?.children.map(\.title) == ["1", "2", "3", "4", "5"])
    // snippet.end
  }
}

private enum Bookmarks {
  // snippet.take-over
  static func open(at path: String, takingOver old: String) throws -> ModelContainer {
    if !FileManager.default.fileExists(atPath: path) {
      let source = try ModelContainer(for: BookmarkEntity.self, store: "coredata:\(old)")
      try source.copy(toNewStore: "sqlite:\(path)")
    }
    return try ModelContainer(for: BookmarkEntity.self, store: "sqlite:\(path)")
  }
  // snippet.end
}
