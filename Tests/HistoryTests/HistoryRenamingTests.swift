import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `History across migrations` {
  private static let stores: [EveryStore] = [.sqlite, .json]
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens the store of the test with a version of the schema.
  private func open(
    _ version: any VersionedSchema.Type,
    _ kind: EveryStore
  ) throws -> ModelContext {
    let url = kind.url(in: folder) + "?history=values"
    return ModelContext(
      try ModelContainer(for: Schema(versionedSchema: version), store: url)
    )
  }

  /// Saves a note of the first version, changes it, and returns the position in between.
  private func write(_ kind: EveryStore) throws -> DefaultHistoryToken {
    let context = try open(NotesV1.self, kind)
    let note = try context.saved(NotesV1.Note("a", pages: 1))
    let gone = try context.saved(NotesV1.Note("gone", pages: 9))
    let token = try context.currentHistoryToken()
    (note.title, note.pages) = ("b", 2)
    try context.save()
    context.delete(gone)
    try context.save()
    return token
  }

  @Test(arguments: stores)
  func `has the new names of renamed properties, and not the names of new ones`(
    kind: EveryStore
  ) throws {
    let token = try write(kind)
    _ = try open(NotesV2.self, kind)
    let context = try open(NotesV3.self, kind)
    let changes = try context.diff(from: token)
    let update = try #require(changes.first { $0.kind == .update })
    #expect(Set(update.properties) == ["name", "pages (former)"])
    #expect(update.before == ["name": .string("a"), "pages (former)": .integer(1)])
    #expect(update.after == ["name": .string("b"), "pages (former)": .integer(2)])
    let deletion = try #require(changes.first { $0.kind == .delete })
    #expect(deletion.before["name"] == .string("gone") && deletion.before["title"] == nil)
    guard
      case .update(let typed as DefaultHistoryUpdate<NotesV3.Note>) =
        try context.history()[2].changes[0]
    else {
      Issue.record("an update of a note was expected")
      return
    }
    #expect(typed.updatedAttributes.map { $0 as PartialKeyPath<NotesV3.Note> } == [\.name])
  }

  @Test(arguments: stores)
  func `is reverted without a change of new properties`(kind: EveryStore) throws {
    _ = try write(kind)
    do {
      let context = try open(NotesV2.self, kind)
      let note = try #require(try context.fetch(FetchDescriptor<NotesV2.Note>()).first)
      #expect(note.name == "b")
    }
    let context = try open(NotesV3.self, kind)
    let note = try #require(try context.fetch(FetchDescriptor<NotesV3.Note>()).first)
    #expect(note.title == "new" && note.pages == 7)
    let transactions = try context.history()
    try context.revert(transactions[2])
    #expect(note.name == "a" && note.title == "new" && note.pages == 7)
    try context.save()
    // The deleted row had no value of the new properties.
    #expect(throws: DataStoreError.unsupportedFeature) { try context.revert(transactions[3]) }
  }

  @Test(arguments: stores)
  func `is reverted after a change of names alone`(kind: EveryStore) throws {
    let token = try write(kind)
    let context = try open(NotesV1b.self, kind)
    try context.revert(try #require(context.history().last))
    try context.save()
    let notes = try context.fetch(FetchDescriptor<NotesV1b.Note>())
    #expect(notes.map(\.name) == ["b", "gone"] && notes.map(\.pages) == [2, 9])
    let past = ModelContext(try context.container.asOf(token))
    let before = try past.fetch(FetchDescriptor<NotesV1b.Note>())
    #expect(before.map(\.name) == ["a", "gone"] && before.map(\.pages) == [1, 9])
  }
}

private enum NotesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    var title: String
    var pages: Int

    init(_ title: String, pages: Int) {
      self.title = title
      self.pages = pages
    }
  }
}

/// Renames a property and keeps the others.
private enum NotesV1b: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 1, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(originalName: "title") var name: String
    var pages: Int

    init(_ name: String, pages: Int) {
      self.name = name
      self.pages = pages
    }
  }
}

/// Renames a property and removes another.
private enum NotesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(originalName: "title") var name: String

    init(_ name: String) { self.name = name }
  }
}

/// Adds properties with the names that are no longer in use.
private enum NotesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(originalName: "title") var name: String
    var title: String = "new"
    var pages: Int = 7

    init(_ name: String) { self.name = name }
  }
}
