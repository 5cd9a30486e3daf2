import Foundation
import OpenSwiftData
import Testing

@testable import ModelLayer

@Suite("an autosave that fails", .timeLimit(.minutes(30)))
struct AutosaveFailureTests {
  @MainActor
  @Test func `calls the handler, posts a notification, and keeps the changes`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryLetter.self, DiaryAuthor.self)
    let context = try fixture.open().mainContext
    var errors: [any Error] = []
    context.onAutosaveFailure = { errors.append($0) }
    let failed = Awaited(ModelContext.autosaveFailed, of: context)
    context.insert(DiaryLetter("unsigned"))
    await failed.next()
    #expect(errors.count == 1)
    #expect(errors.first is SwiftDataError)
    #expect(context.hasChanges)
    #expect(try ModelContext(context.container).all(DiaryLetter.self).isEmpty)
  }

  @MainActor
  @Test func `is retried at the next change, also of a new object`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryLetter.self, DiaryAuthor.self)
    let context = try fixture.open().mainContext
    context.onAutosaveFailure = { _ in }
    let failed = Awaited(ModelContext.autosaveFailed, of: context)
    let letter = DiaryLetter("unsigned")
    context.insert(letter)
    await failed.next()
    letter.text = "still unsigned"
    await failed.next()
    let saved = Awaited(ModelContext.didSave, of: context)
    letter.authors.append(DiaryAuthor("Ada"))
    await saved.next()
    #expect(!context.hasChanges)
    #expect(
      try ModelContext(context.container).all(DiaryLetter.self).map(\.text) == ["still unsigned"]
    )
    #expect(!letter._$state.flags.contains(.recorded))
  }

  @MainActor
  @Test func `is retried at a second change of the same property`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryLetter.self, DiaryAuthor.self)
    let context = try fixture.open().mainContext
    context.onAutosaveFailure = { _ in }
    let letter = DiaryLetter("signed")
    letter.authors = [DiaryAuthor("Ada")]
    context.insert(letter)
    try context.save()
    let failed = Awaited(ModelContext.autosaveFailed, of: context)
    letter.text = "first"
    letter.authors = []
    await failed.next()
    letter.text = "second"
    await failed.next()
    letter.text = "third"
    await failed.next()
    #expect(context.hasChanges)
    context.rollback()
    #expect(letter.text == "signed")
  }

  @MainActor
  @Test func `is not retried endlessly if an observer changes objects before saves`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryLetter.self, DiaryAuthor.self)
    let context = try fixture.open().mainContext
    var failures = 0
    context.onAutosaveFailure = { _ in failures += 1 }
    let letter = DiaryLetter("unsigned")
    let stamp = Stamp(letter, in: context)
    let failed = Awaited(ModelContext.autosaveFailed, of: context)
    context.insert(letter)
    await failed.next()
    letter.text = "changed"
    await failed.next()
    for _ in 0..<3 {
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
      }
    }
    #expect(failures == 2)
    #expect(letter.text == "changed.")
    withExtendedLifetime(stamp) {}
  }
}

/// Changes an object before each save of its context.
private final class Stamp: @unchecked Sendable {
  // Unchecked: used only on the main actor.
  private var observer: (any NSObjectProtocol)?
  private let letter: DiaryLetter

  init(_ letter: DiaryLetter, in context: ModelContext) {
    self.letter = letter
    observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: context,
      queue: nil
    ) { [weak self] _ in self?.letter.text += "." }
  }

  deinit { observer.map(NotificationCenter.default.removeObserver) }
}
