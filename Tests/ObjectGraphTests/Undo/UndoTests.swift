import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

// On Apple's systems undo managers belong to the main actor.
@MainActor
@Suite("Undo")
struct UndoTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `undoes and redoes property changes`(kind: EveryStore) throws {
    let fixture = try ContainerFixture.office(kind)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    try context.save()
    clerk.name = "first"
    clerk.name = "second"
    clerk.age = 7
    context.processPendingChanges()
    clerk.name = "third"
    manager.undo()
    #expect(clerk.name == "second")
    manager.undo()
    #expect(clerk.name == "clerk 1" && clerk.age == nil)
    #expect(!context.hasChanges)
    manager.redo()
    #expect(clerk.name == "second" && clerk.age == 7)
    #expect(context.hasChanges)
    manager.redo()
    #expect(clerk.name == "third")
    #expect(!manager.canRedo)
  }

  @Test(arguments: EveryStore.withTextKeys, [false, true])
  func `undoes and redoes an insertion, saved or not`(kind: EveryStore, isSaved: Bool) throws {
    let fixture = try ContainerFixture.office(kind)
    let (context, manager) = try fixture.undoableContext()
    let boss = OfficeClerk(1)
    context.insert(boss)
    context.processPendingChanges()
    let clerk = OfficeClerk(2)
    clerk.boss = boss
    context.insert(clerk)
    if isSaved { try context.save() }
    manager.undo()
    #expect(try context.all(OfficeClerk.self).map(\.number) == [1])
    #expect(boss.reports.isEmpty)
    #expect(clerk.isDeleted)
    try context.save()
    #expect(try ModelContext(context.container).all(OfficeClerk.self).map(\.number) == [1])
    manager.redo()
    #expect(boss.reports == [clerk] && clerk.boss == boss)
    try context.save()
    let fresh = try ModelContext(context.container).all(OfficeClerk.self)
    #expect(fresh.map(\.number) == [1, 2])
    #expect(fresh.last?.boss?.number == 1)
  }

  @Test(arguments: EveryStore.withTextKeys, [false, true])
  func `restores a deleted object with the effects of its delete rules, saved or not`(
    kind: EveryStore,
    isSaved: Bool
  ) throws {
    let fixture = try ContainerFixture.office(kind)
    try makeOffice(in: fixture)
    let (context, manager) = try fixture.undoableContext()
    let clerks = try context.all(OfficeClerk.self)
    let clerk = try #require(clerks.first { $0.number == 2 })
    let identifier = clerk.persistentModelID
    context.delete(clerk)
    if isSaved { try context.save() } else { context.processPendingChanges() }
    #expect(try context.fetchCount(FetchDescriptor<OfficeDrawer>()) == 0)
    #expect(clerks.filter { $0.number > 2 }.allSatisfy { $0.boss == nil })
    manager.undo()
    try expectOffice(in: context)
    #expect((clerk.persistentModelID == identifier) == !isSaved)
    #expect(!clerk.isDeleted && clerk.modelContext == context)
    try context.save()
    try expectOffice(in: ModelContext(context.container))
    manager.redo()
    #expect(try context.all(OfficeClerk.self).map(\.number).sorted() == [1, 3, 4])
    manager.undo()
    try expectOffice(in: context)
  }

  /// Clerk 2 has a desk of two drawers and two skills, reports to 1, and has the reports 4 and 3.
  private func makeOffice(in fixture: ContainerFixture) throws {
    let context = try fixture.context()
    let clerks = (1...4).map(OfficeClerk.init)
    clerks[0].reports = [clerks[1]]
    clerks[1].reports = [clerks[3], clerks[2]]
    clerks[1].skills = [OfficeSkill(1), OfficeSkill(2)]
    let desk = OfficeDesk(1)
    desk.drawers = [OfficeDrawer(1), OfficeDrawer(2)]
    clerks[1].desk = desk
    context.insert(clerks[0])
    try context.save()
  }

  private func expectOffice(in context: ModelContext) throws {
    let clerks = try context.all(OfficeClerk.self).sorted { $0.number < $1.number }
    #expect(clerks.map(\.number) == [1, 2, 3, 4])
    guard clerks.count == 4 else { return }
    #expect(clerks[0].reports.map(\.number) == [2])
    #expect(clerks[1].reports.map(\.number) == [4, 3])
    #expect(clerks.map { $0.boss?.number } == [nil, 1, 2, 2])
    #expect(clerks[1].skills.map(\.number).sorted() == [1, 2])
    #expect(clerks[1].skills.allSatisfy { $0.clerks == [clerks[1]] })
    #expect(clerks[1].desk?.owner == clerks[1])
    #expect(clerks[1].desk?.drawers.map(\.number) == [1, 2])
    #expect(try context.fetchCount(FetchDescriptor<OfficeDrawer>()) == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `restores references of a deleted object that were never loaded`(
    kind: EveryStore
  ) throws {
    let fixture = try ContainerFixture.office(kind)
    let first = try fixture.context()
    let clerk = OfficeClerk(1)
    clerk.hobbies = [OfficeHobby(2), OfficeHobby(1)]
    clerk.favourite = clerk.hobbies[0]
    first.insert(clerk)
    try first.save()
    let (context, manager) = try fixture.undoableContext()
    for found in try context.all(OfficeClerk.self) { context.delete(found) }
    try context.save()
    #expect(try context.all(OfficeClerk.self).isEmpty)
    manager.undo()
    try context.save()
    for context in [context, ModelContext(context.container)] {
      let found = try #require(try context.all(OfficeClerk.self).first)
      #expect(found.hobbies.map(\.number) == [2, 1])
      #expect(found.favourite?.number == 2)
    }
  }

  @Test func `lists an object once after repeated deletions, changes and undos`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    try context.save()
    context.delete(clerk)
    manager.undo()
    #expect(context.deletedModelsArray.isEmpty)
    context.delete(clerk)
    #expect(context.deletedModelsArray.count == 1)
    manager.undo()
    clerk.age = 1
    manager.undo()
    clerk.age = 2
    #expect(context.changedModelsArray.count == 1)
  }

  @Test func `undoes an insertion without applying its delete rules`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let drawer = OfficeDrawer(1)
    context.insert(drawer)
    try context.save()
    let desk = OfficeDesk(1)
    context.insert(desk)
    context.processPendingChanges()
    manager.disableUndoRegistration()
    desk.drawers = [drawer]
    manager.enableUndoRegistration()
    manager.undo()
    try context.save()
    #expect(desk.isDeleted && !drawer.isDeleted && drawer.desk == nil)
    #expect(try ModelContext(context.container).all(OfficeDrawer.self).count == 1)
  }

  @Test(arguments: EveryStore.withTextKeys, [false, true])
  func `restores both ends of relationships and their order`(
    kind: EveryStore,
    isSaved: Bool
  ) throws {
    let fixture = try ContainerFixture.office(kind)
    try makeOffice(in: fixture)
    let (context, manager) = try fixture.undoableContext()
    let clerks = try context.all(OfficeClerk.self).sorted { $0.number < $1.number }
    clerks[3].boss = clerks[0]
    clerks[1].reports.append(OfficeClerk(5))
    clerks[2].skills = clerks[1].skills.reversed()
    clerks[1].skills.removeAll()
    clerks[2].desk = clerks[1].desk
    if isSaved { try context.save() } else { context.processPendingChanges() }
    #expect(clerks[0].reports.map(\.number) == [2, 4])
    manager.undo()
    try expectOffice(in: context)
    try context.save()
    try expectOffice(in: ModelContext(context.container))
    manager.redo()
    #expect(clerks[0].reports.map(\.number) == [2, 4])
    #expect(clerks[1].reports.map(\.number) == [3, 5])
    #expect(clerks[2].desk?.owner == clerks[2] && clerks[1].desk == nil)
    manager.undo()
    try expectOffice(in: context)
  }

  @Test func `records nothing while registration is disabled or without an undo manager`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    manager.disableUndoRegistration()
    context.insert(clerk)
    clerk.name = "unrecorded"
    manager.enableUndoRegistration()
    #expect(!manager.canUndo)
    clerk.age = 1
    context.undoManager = nil
    #expect(context.undoManager == nil && !manager.canUndo)
    clerk.age = 2
    #expect(!manager.canUndo)
    #expect(!clerk._$state.flags.contains(.recorded))
    manager.undo()
    #expect(clerk.age == 2)
  }

  @Test func `keeps both ends of a relationship consistent after unrecorded changes`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerks = (1...4).map(OfficeClerk.init)
    clerks.forEach(context.insert)
    try context.save()
    clerks[1].boss = clerks[0]
    context.processPendingChanges()
    manager.disableUndoRegistration()
    clerks[2].boss = clerks[0]
    clerks[1].boss = clerks[3]
    manager.enableUndoRegistration()
    manager.undo()
    for clerk in clerks {
      for report in clerk.reports { #expect(report.boss == clerk) }
      if let boss = clerk.boss { #expect(boss.reports.contains(clerk)) }
    }
    #expect(clerks[1].boss == nil)
  }

  @Test func `skips an object that another context deleted`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    let report = OfficeClerk(2)
    clerk.reports = [report]
    context.insert(clerk)
    try context.save()
    report.boss = nil
    report.name = "free"
    try context.save()
    let other = ModelContext(context.container)
    for found in try other.all(OfficeClerk.self) where found.number == 1 { other.delete(found) }
    try other.save()
    _ = try context.all(OfficeClerk.self)
    manager.undo()
    #expect(report.name == "clerk 2")
    manager.redo()
    #expect(report.name == "free")
  }

  @Test func `notifies observers`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    try context.save()
    clerk.name = "changed"
    let notifications = Notifications()
    withObservationTracking {
      _ = clerk.name
    } onChange: {
      notifications.happened()
    }
    manager.undo()
    #expect(notifications.count == 1)
  }

  @Test func `does not retain the context or its objects`()
    throws
  {
    let manager = UndoManager()
    weak var state: ContextState?
    weak var held: OfficeClerk?
    do {
      let context = try ContainerFixture.office(.memory).context()
      context.undoManager = manager
      let clerk = OfficeClerk(1)
      context.insert(clerk)
      try context.save()
      clerk.name = "changed"
      try context.save()
      state = context.state
      held = clerk
    }
    #expect(state == nil && held == nil)
    #expect(!manager.canUndo)
  }
}

/// Counts the notifications of an observation.
private final class Notifications: @unchecked Sendable {
  // Unchecked: used by only one thread.
  private(set) var count = 0

  func happened() { count += 1 }
}
