import Foundation
import OpenSwiftData

// What the tests of autosave share.

@Model
final class DiaryEntry {
  var text: String
  @Relationship(deleteRule: .nullify, inverse: \DiaryPage.entry) var page: DiaryPage?

  init(_ text: String) {
    self.text = text
  }
}

@Model
final class DiaryPage {
  var number: Int
  var entry: DiaryEntry?

  init(_ number: Int) {
    self.number = number
  }
}

/// A model that cannot be saved while it has no author.
@Model
final class DiaryLetter {
  var text: String
  @Relationship(minimumModelCount: 1, inverse: \DiaryAuthor.letters) var authors: [DiaryAuthor] = []

  init(_ text: String) {
    self.text = text
  }
}

@Model
final class DiaryAuthor {
  var name: String
  var letters: [DiaryLetter] = []

  init(_ name: String) {
    self.name = name
  }
}

/// Waits for a notification, for tests of what happens at a later turn.
final class Awaited: @unchecked Sendable {
  // Unchecked: the stream is made for this, and the observer is touched by init and deinit alone.
  private let stream: AsyncStream<Void>
  private let observer: any NSObjectProtocol

  init(_ name: Notification.Name, of context: ModelContext) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    observer = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
      _ in continuation.yield()
    }
  }

  deinit { NotificationCenter.default.removeObserver(observer) }

  /// Returns when the notification was posted once more.
  func next(isolation: isolated (any Actor)? = #isolation) async {
    var iterator = stream.makeAsyncIterator()
    await iterator.next(isolation: isolation)
  }
}

extension ModelContainer {
  /// The texts of all saved entries, in the order of their making.
  func savedTexts() throws -> [String] {
    try ModelContext(self).all(DiaryEntry.self).map(\.text)
  }
}
