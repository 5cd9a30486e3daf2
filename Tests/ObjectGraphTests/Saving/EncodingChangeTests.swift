import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Code that encodes a value may use the context whose save needs the value.
@Suite("Changes while a value encodes itself", .serialized)
struct EncodingChangeTests {
  /// What the next encoding does.
  final class Action {
    nonisolated(unsafe) static var next: (() throws -> Void)?
  }

  /// A value whose encoding runs the next action, once.
  struct Stamp: Codable, Hashable {
    var text: String

    init(_ text: String) {
      self.text = text
    }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      let action = Action.next
      Action.next = nil
      try action?()
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  private func letters(_ context: ModelContext) throws -> [Letter] {
    let letters = ["a", "b"].map { Letter($0) }
    for letter in letters { context.insert(letter) }
    try context.save()
    return letters
  }

  private func stored(_ context: ModelContext) throws -> [String] {
    let fresh = ModelContext(context.container)
    return try fresh.all(Letter.self).map {
      "\($0.name) \($0.stamp.text) \($0.count) \($0.pages.map(\.number)) \($0.tags.map(\.word))"
    } + fresh.all(LetterTag.self).map { "\($0.word) \($0.letters.map(\.name))" }
  }

  private func fixture(_ store: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(store, for: Letter.self, LetterPage.self, LetterTag.self)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, [false, true])
  func `are stored by the next save`(store: EveryStore, isObserved: Bool) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    let observer = isObserved ? try ResultsObserver<Letter, Never>(modelContext: context) : nil
    let letters = try letters(context)
    let new = Letter("c")
    context.insert(new)
    letters[0].stamp = Stamp("x")
    letters[0].count = 1
    // The old value is encoded when it changes, and the new one by the save.
    Action.next = {
      context.insert(Letter("d"))
      letters[0].count = 7
      letters[0].name = "A"
      letters[0].pages.append(LetterPage(5))
      letters[1].count = 8
      letters[1].tags = [LetterTag("t")]
      new.count = 9
      new.tags = [LetterTag("u")]
    }
    try context.save()
    #expect(Action.next == nil)
    #expect(context.hasChanges)
    #expect(letters.map(\.count) == [7, 8] && new.count == 9)
    try context.save()
    #expect(!context.hasChanges)
    #expect(
      try Set(stored(context)) == [
        "A x 7 [5] []", "b  8 [] [\"t\"]", "c  9 [] [\"u\"]", "d  0 [] []", "t [\"b\"]",
        "u [\"c\"]",
      ]
    )
    try StoredReferences.check(context.container)
    if let observer { #expect(observer.results.count == 4) }
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `may be deletions`(store: EveryStore) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    let letters = try letters(context)
    letters[0].stamp = Stamp("x")
    Action.next = {
      context.delete(letters[0])
      context.delete(letters[1])
    }
    try context.save()
    #expect(context.hasChanges)
    #expect(try context.all(Letter.self).isEmpty)
    try context.save()
    #expect(try stored(context).isEmpty)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `cannot be saved before the save has ended`(store: EveryStore) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    let letters = try letters(context)
    letters[0].stamp = Stamp("x")
    Action.next = { try context.save() }
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.property == "stamp")
    try context.save()
    #expect(try stored(context) == ["a x 0 [] []", "b  0 [] []"])
  }
}

@Model
final class Letter {
  var name: String
  var stamp = EncodingChangeTests.Stamp("")
  var count = 0
  @Relationship(inverse: \LetterPage.letter) var pages: [LetterPage] = []
  @Relationship(inverse: \LetterTag.letters) var tags: [LetterTag] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class LetterPage {
  var number: Int
  var letter: Letter?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class LetterTag {
  var word: String
  var letters: [Letter] = []

  init(_ word: String) {
    self.word = word
  }
}
