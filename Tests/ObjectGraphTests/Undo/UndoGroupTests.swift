import Foundation
import OpenSwiftData
import Testing

@testable import ModelLayer

// On Apple's systems undo managers belong to the main actor.
@MainActor
@Suite("undo grouping")
struct UndoGroupTests {
  @Test func `undoes groups one by one, including the effects of delete rules`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    manager.groupsByEvent = false
    let clerk = OfficeClerk(1)
    let report = OfficeClerk(2)
    report.boss = clerk
    context.insert(report)
    try context.save()
    manager.removeAllActions()
    manager.beginUndoGrouping()
    context.delete(clerk)
    manager.endUndoGrouping()
    #expect(report.boss == nil)
    manager.beginUndoGrouping()
    report.name = "alone"
    manager.beginUndoGrouping()
    report.age = 3
    manager.endUndoGrouping()
    report.age = 4
    manager.endUndoGrouping()
    manager.undo()
    #expect(report.name == "clerk 2" && report.age == nil && report.boss == nil)
    manager.undo()
    #expect(report.boss == clerk && clerk.reports == [report] && !clerk.isDeleted)
    manager.redo()
    manager.redo()
    #expect(clerk.isDeleted && report.boss == nil && report.age == 4 && report.name == "alone")
  }

  @Test func `undoes a nested group alone`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    try context.save()
    manager.beginUndoGrouping()
    clerk.name = "outer"
    manager.beginUndoGrouping()
    clerk.name = "inner"
    manager.endUndoGrouping()
    manager.undoNestedGroup()
    #expect(clerk.name == "outer")
    manager.endUndoGrouping()
    manager.undo()
    #expect(clerk.name == "clerk 1")
  }

  @Test func `is cleared by a reset`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    try context.save()
    clerk.name = "changed"
    context.processPendingChanges()
    manager.undo()
    clerk.age = 1
    context.reset()
    #expect(!manager.canUndo && !manager.canRedo)
    #expect(!clerk._$state.flags.contains(.recorded))
    let found = try #require(try context.all(OfficeClerk.self).first)
    found.age = 2
    manager.undo()
    #expect(found.age == nil)
  }

  @Test func `is cleared by a rollback`() throws {
    let fixture = try ContainerFixture.office(.memory)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    try context.save()
    clerk.name = "changed"
    context.processPendingChanges()
    manager.undo()
    clerk.age = 1
    context.rollback()
    #expect(!manager.canUndo && !manager.canRedo)
    #expect(clerk.name == "clerk 1" && clerk.age == nil)
    clerk.age = 2
    manager.undo()
    #expect(clerk.age == nil)
  }

  @Test(.timeLimit(.minutes(30)))
  func `closes the group of an event at the main actor's next turn`() async throws {
    let context = try ContainerFixture.office(.memory).open().mainContext
    context.autosaveEnabled = false
    let manager = UndoManager()
    context.undoManager = manager
    let clerk = OfficeClerk(1)
    context.insert(clerk)
    clerk.age = 1
    #expect(manager.groupingLevel == 1)
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    #expect(manager.groupingLevel == 0)
    clerk.age = 2
    manager.undo()
    #expect(clerk.age == 1 && !clerk.isDeleted)
    manager.undo()
    #expect(clerk.isDeleted)
  }
}
