import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The progress of a migration")
struct ProgressTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ kind: EveryStore) -> any DataStoreConfiguration {
    switch kind {
    case .json: JSONFileStoreConfiguration(url: folder.file("notes.json"))
    case .memory: ShelfStore.Configuration()
    default: SQLiteStoreConfiguration(url: folder.file("notes.db"))
    }
  }

  /// Migrates a store with some rows by a plan, and returns what was reported.
  private func seen(_ kind: EveryStore, _ plan: any SchemaMigrationPlan.Type) throws -> Seen {
    let configuration = configuration(kind)
    let first = try ModelContainer(
      for: Schema(versionedSchema: NotesV1.self),
      configurations: configuration
    )
    let context = ModelContext(first)
    for number in 0..<7 { context.insert(NotesV1.Note(first: number)) }
    try context.save()
    let seen = Seen()
    _ = try ModelContainer(
      for: Schema(versionedSchema: NotesV3.self),
      migrationPlan: plan,
      migrationOptions: MigrationOptions { seen.add($0) },
      configurations: configuration
    )
    return seen
  }

  @Test(arguments: [EveryStore.sqlite, .json, .memory], [true, false])
  func `is complete only once, at the end, and never repeats a report`(
    _ kind: EveryStore,
    hasCode: Bool
  ) throws {
    let all = try seen(kind, hasCode ? NotesPlanWithCode.self : NotesPlan.self).all
    #expect(all.filter { $0.fraction == 1 }.count == 1)
    #expect(all.last?.fraction == 1)
    // All rows are written before indexes, code and the commit.
    let written = all.filter { $0.number == $0.count && $0.rows == 7 && $0.totalRows == 7 }
    #expect(written.contains { $0.fraction < 1 })
    for (one, next) in zip(all, all.dropFirst()) {
      #expect(one != next)
      #expect(one.fraction <= next.fraction)
    }
  }

  @Test(arguments: [EveryStore.sqlite, .json, .memory], [true, false])
  func `names every step, even if steps have the same number of rows`(
    _ kind: EveryStore,
    hasCode: Bool
  ) throws {
    let seen = try seen(kind, hasCode ? NotesPlanWithCode.self : NotesPlan.self)
    #expect(seen.steps == ["1.0.0 → 2.0.0", "2.0.0 → 3.0.0"])
    // The second step has rows of its own before the end.
    #expect(seen.all.contains { $0.number == 2 && $0.fraction < 1 && $0.fraction > 0.5 })
  }
}

enum NotesV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Note.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Note {
    var first: Int
    var second: Int = 1

    init(first: Int) { self.first = first }
  }
}

enum NotesV2: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Note.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Note {
    var first: Double
    var second: Int = 1

    init(first: Double) { self.first = first }
  }
}

enum NotesV3: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Note.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

  @Model
  final class Note {
    var first: Double
    var second: Double = 1

    init(first: Double) { self.first = first }
  }
}

private enum NotesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self, NotesV3.self] }
  static var stages: [MigrationStage] { [] }
}

private enum NotesPlanWithCode: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { NotesPlan.schemas }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: NotesV2.self,
        toVersion: NotesV3.self,
        willMigrate: nil,
        didMigrate: { _ in }
      )
    ]
  }
}
