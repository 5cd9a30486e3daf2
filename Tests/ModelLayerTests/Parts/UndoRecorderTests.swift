import Foundation
import StoreProtocol
import Testing

@testable import ModelLayer

@MainActor
@Suite("An undo recorder without a context")
struct UndoRecorderTests {
  /// Counts what a recorder asks for.
  private final class Recorded: UndoableContext {
    var processed = 0
    var planned = 0
    var restored: [UndoRecord] = []

    func processPendingChanges() { processed += 1 }

    func planEventEnd() -> Bool {
      planned += 1
      return true
    }

    func restore(_ record: UndoRecord) { restored.append(record) }
  }

  private let context = Recorded()
  private let manager = UndoManager()
  private let recorder: UndoRecorder

  init() {
    manager.groupsByEvent = false
    manager.beginUndoGrouping()
    recorder = UndoRecorder(manager, for: context)
  }

  @Test func `keeps the first content of each property of a group`() throws {
    let letter = Letter("a")
    recorder.willChange(letter, at: 0, from: .value(.string("a")))
    recorder.willChange(letter, at: 0, from: .value(.string("b")))
    recorder.willChange(letter, at: 1, from: .value(.integer(1)))
    manager.endUndoGrouping()
    manager.undo()
    let record = try #require(context.restored.first)
    #expect(record.contents.map(\.index) == [0, 1])
    #expect(record.contents.first?.content.isSame(as: .value(.string("a"))) == true)
    #expect(context.planned == 1)
  }

  @Test func `records no contents of a new object`() throws {
    let letter = Letter("a")
    recorder.willInsert(letter)
    recorder.willChange(letter, at: 0, from: .value(.string("a")))
    manager.endUndoGrouping()
    manager.undo()
    let record = try #require(context.restored.first)
    #expect(record.contents.isEmpty)
    #expect(record.memberships.map(\.wasMember) == [false])
  }

  @Test func `records the contents of an object that a new one has updated`() throws {
    let (new, other) = (Letter("a"), Letter("b"))
    recorder.willInsert(new)
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    recorder.willChange(other, at: 1, from: .value(.integer(1)))
    manager.endUndoGrouping()
    recorder.note(
      merge: new,
      into: other,
      [0: .value(.string("b")), 1: .value(.integer(2))],
      of: other
    )
    recorder.saved()
    manager.undo()
    manager.undo()
    let record = try #require(context.restored.last)
    #expect(record.memberships.isEmpty)
    #expect(record.contents.map(\.index) == [0, 1])
    #expect(record.contents.allSatisfy { $0.model === other })
    #expect(record.contents.last?.content.isSame(as: .value(.integer(1))) == true)
  }

  @Test func `records all contents of a deleted object`() throws {
    let letter = Letter("a")
    recorder.willDelete(letter) { .value(.integer(Int64($0))) }
    manager.endUndoGrouping()
    manager.undo()
    let record = try #require(context.restored.first)
    #expect(record.contents.map(\.index) == [0, 1])
    #expect(record.memberships.map(\.wasMember) == [true])
  }

  @Test func `makes a record for each group, after the delete rules`() {
    let letter = Letter("a")
    recorder.willChange(letter, at: 0, from: .value(.string("a")))
    manager.endUndoGrouping()
    #expect(context.processed > 0)
    manager.beginUndoGrouping()
    recorder.willChange(letter, at: 0, from: .value(.string("b")))
    manager.endUndoGrouping()
    manager.undo()
    manager.undo()
    #expect(context.restored.count == 2)
  }

  @Test func `plans one end of an event at a time`() {
    let letter = Letter("a")
    recorder.willChange(letter, at: 0, from: .value(.string("a")))
    recorder.eventEnded()
    recorder.willChange(letter, at: 0, from: .value(.string("b")))
    #expect(context.planned == 1)
    recorder.turnCame()
    recorder.willChange(letter, at: 0, from: .value(.string("c")))
    #expect(context.planned == 2)
  }
}
