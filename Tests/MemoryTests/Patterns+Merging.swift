import Foundation
import OpenSwiftData

// New objects that become updates of stored ones.

extension Pattern {
  static let merging: [Pattern] = [
    Pattern("new objects are merged in a context of their own", isSlow: true) {
      let context = $0.context()
      for author in authors(in: context) { $0.census.note(author) }
      try context.save()
    },
    Pattern("new objects are merged into objects of their context", isSlow: true) {
      let context = $0.context()
      let stored = authors(in: context)
      try context.save()
      for author in authors(in: context) { $0.census.note(author) }
      try context.save()
      try expectReleased($0, except: stored)
      context.insert(stored[0])
    },
    Pattern("several new objects with one unique value are merged", isSlow: true) {
      let context = $0.context()
      let first = authors(in: context)
      for _ in 0..<2 {
        for author in authors(in: context) { $0.census.note(author) }
      }
      try context.save()
      try expectReleased($0, except: first)
    },
    Pattern("new objects are merged, fetched and deleted", isSlow: true) {
      let context = $0.context()
      for _ in 0..<2 {
        for author in authors(in: context) { $0.census.note(author) }
        _ = try context.fetch(FetchDescriptor<Author>())
        try context.save()
      }
      for author in authors(in: context) { $0.census.note(author) }
      for author in try context.fetch(FetchDescriptor<Author>()) { context.delete(author) }
      try context.save()
    },
    Pattern("a merge is undone", isSlow: true) {
      let context = $0.context()
      let manager = UndoManager()
      context.undoManager = manager
      for author in authors(in: context) { $0.census.note(author) }
      try context.save()
      manager.undo()
      try context.save()
    },
  ]

  /// Inserts authors who refer to each other and to themselves.
  private static func authors(in context: ModelContext) -> [Author] {
    let (one, two) = (Author("one"), Author("two"))
    one.friend = one
    two.friend = one
    one.boss = two
    one.read = [one, two]
    two.read = [one]
    let subjects = ["sea", "sky"].map(Subject.init)
    one.subjects = subjects
    context.insert(one)
    context.insert(two)
    return [one, two]
  }

  /// Fails if a pattern's context, which still exists, keeps counted authors.
  private static func expectReleased(_ scene: Scene, except kept: [Author]) throws {
    if scene.census.living["Author", default: 0] > 0 { throw ObjectsLeft() }
    withExtendedLifetime(kept) {}
  }
}

/// Objects that a context keeps for no reason.
private struct ObjectsLeft: Error {}
