import Foundation
import OpenSwiftData
import Testing

/// A class for the entity of the bookmarks file, with a renamed attribute.
@Model
private final class BookmarkEntity {
  @Attribute(originalName: "title") var name: String?
  var url: String?
  var uuid: String
  var isFolder: Bool
  var parent: BookmarkEntity?
  @Relationship(deleteRule: .cascade, inverse: \BookmarkEntity.parent) var children:
    [BookmarkEntity]
  var note: String?

  init(uuid: String) {
    self.uuid = uuid
    isFolder = false
    children = []
  }
}

/// A class whose attribute has another type than the file.
private enum Mistyped {
  @Model
  final class BookmarkEntity {
    var title: Date?
    init() {}
  }
}

/// A class with a required attribute that the file lacks.
private enum Demanding {
  @Model
  final class BookmarkEntity {
    var color: String
    init(color: String) { self.color = color }
  }
}

@Suite("Core Data files opened with a program's classes")
struct ModelClassTests {
  private let file: SourceFile
  private var address: String { "coredata:\(file.url.path)" }

  init() throws {
    file = try SourceFile(copying: "ddg-Bookmarks_V1")
  }

  @Test func `objects have the file's values and relationships`() throws {
    let container = try ModelContainer(for: BookmarkEntity.self, store: address)
    let context = ModelContext(container)
    let descriptor = FetchDescriptor<BookmarkEntity>(
      predicate: #Predicate { $0.isFolder && $0.parent != nil },
      sortBy: [SortDescriptor(\.name)]
    )
    let folders = try context.fetch(descriptor)
    #expect(folders.map(\.name) == ["3", "31"])
    #expect(folders.first?.children.map(\.name) == ["31", "32", "33"])
    #expect(folders.first?.parent?.name == "bookmarks_root")
    #expect(folders.first?.note == nil)
  }

  @Test func `a save is refused, and the context keeps its changes`() throws {
    let context = ModelContext(try ModelContainer(for: BookmarkEntity.self, store: address))
    let before = try file.bytes()
    context.insert(BookmarkEntity(uuid: "new"))
    #expect(throws: DataStoreError.storeReadOnly) { try context.save() }
    #expect(context.hasChanges)
    #expect(try file.bytes() == before)
  }

  @Test func `the error for a mistyped attribute names both types`() throws {
    let error = #expect(throws: DataStoreError.self) {
      try ModelContainer(for: Mistyped.BookmarkEntity.self, store: address)
    }
    #expect(error == .schemaMismatch && error?.property == "title")
    #expect(error?.message.contains("date in the program but string in the file") == true)
  }

  @Test func `a required attribute that the file lacks is refused`() throws {
    let error = #expect(throws: DataStoreError.self) {
      try ModelContainer(for: Demanding.BookmarkEntity.self, store: address)
    }
    #expect(error == .schemaMismatch && error?.property == "color")
  }
}
