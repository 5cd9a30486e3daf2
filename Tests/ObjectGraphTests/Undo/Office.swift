import OpenSwiftData
import StoreTestSupport

// What the tests of undo share: one to one, one to many, many to many, and one-way.

@Model
final class OfficeClerk {
  var number: Int
  var name: String
  var age: Int?
  @Relationship(deleteRule: .nullify, inverse: \OfficeClerk.boss) var reports: [OfficeClerk] = []
  var boss: OfficeClerk?
  @Relationship(deleteRule: .cascade, inverse: \OfficeDesk.owner) var desk: OfficeDesk?
  @Relationship(inverse: \OfficeSkill.clerks) var skills: [OfficeSkill] = []
  var hobbies: [OfficeHobby] = []
  var favourite: OfficeHobby?

  init(_ number: Int) {
    self.number = number
    name = "clerk \(number)"
  }
}

@Model
final class OfficeDesk {
  var number: Int
  var owner: OfficeClerk?
  @Relationship(deleteRule: .cascade, inverse: \OfficeDrawer.desk) var drawers: [OfficeDrawer] = []

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class OfficeDrawer {
  var number: Int
  var desk: OfficeDesk?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class OfficeSkill {
  var number: Int
  var word: String
  var clerks: [OfficeClerk] = []

  init(_ number: Int) {
    self.number = number
    word = "skill \(number)"
  }
}

/// Knows nothing of who has it.
@Model
final class OfficeHobby {
  var number: Int

  init(_ number: Int) {
    self.number = number
  }
}

extension ContainerFixture {
  /// A fixture for the models of the office.
  static func office(_ kind: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(
      kind,
      for: OfficeClerk.self,
      OfficeDesk.self,
      OfficeDrawer.self,
      OfficeSkill.self,
      OfficeHobby.self
    )
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
