import OpenSwiftData
import StoreTestSupport

// What the tests of undo share: one to one, one to many, many to many, and one-way.

@Model
final class Clerk {
  var number: Int
  var name: String
  var age: Int?
  @Relationship(deleteRule: .nullify, inverse: \Clerk.boss) var reports: [Clerk] = []
  var boss: Clerk?
  @Relationship(deleteRule: .cascade, inverse: \Desk.owner) var desk: Desk?
  @Relationship(inverse: \Skill.clerks) var skills: [Skill] = []
  var hobbies: [Hobby] = []
  var favourite: Hobby?

  init(_ number: Int) {
    self.number = number
    name = "clerk \(number)"
  }
}

@Model
final class Desk {
  var number: Int
  var owner: Clerk?
  @Relationship(deleteRule: .cascade, inverse: \Drawer.desk) var drawers: [Drawer] = []

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class Drawer {
  var number: Int
  var desk: Desk?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class Skill {
  var number: Int
  var word: String
  var clerks: [Clerk] = []

  init(_ number: Int) {
    self.number = number
    word = "skill \(number)"
  }
}

/// Knows nothing of who has it.
@Model
final class Hobby {
  var number: Int

  init(_ number: Int) {
    self.number = number
  }
}

extension StorePlace {
  /// A place for the models of the office.
  static func office(_ kind: EveryStore) throws -> StorePlace {
    try StorePlace(kind, for: Clerk.self, Desk.self, Drawer.self, Skill.self, Hobby.self)
  }

  /// A context with an undo manager of its own.
  @MainActor
  func undoableContext() throws -> (ModelContext, UndoManager) {
    let context = try context()
    let manager = UndoManager()
    context.undoManager = manager
    return (context, manager)
  }
}
