import StoreProtocol

/// An answer that an `AnswerKeeper` keeps up to date.
protocol KeptAnswer: AnyObject {
  /// What the answer depends on.
  var interest: Interest { get }
  /// Whether unsaved changes take part in the answer.
  var includesPendingChanges: Bool { get }
  /// Whether the answer has objects that are gone, or whose rows are.
  func hasMembers(among gone: Set<PersistentIdentifier>) -> Bool
  /// Whether an object is in the answer.
  func contains(_ model: any PersistentModel) -> Bool
  /// Whether the filter holds for an object as it is now.
  func accepts(_ model: any PersistentModel) throws -> Bool
  /// Takes note that the answer, or the values in it, may have changed.
  func mayHaveChanged(_ news: AnswerNews)
}

/// What may have changed of an answer.
enum AnswerChange: Int, Comparable {
  /// Nothing.
  case nothing
  /// Values of objects that are in it, without moving them.
  case values
  /// Which objects are in it, or their order.
  case list

  static func < (lhs: AnswerChange, rhs: AnswerChange) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What may have changed of an answer, and by which objects.
struct AnswerNews {
  /// With more moved objects than this, the answer is fetched anew.
  private static let mostMoved = 16

  /// Nothing.
  static var nothing: AnswerNews { AnswerNews(change: .nothing, moved: []) }
  /// Anything.
  static var list: AnswerNews { AnswerNews(change: .list, moved: nil) }

  /// What may have changed.
  private(set) var change: AnswerChange
  /// The objects that may have come, gone or moved; `nil` if others may have as well.
  private(set) var moved: [any PersistentModel]?

  /// Whether nothing more can be added.
  var isComplete: Bool { change == .list && moved == nil }

  /// Adds what a changed object does to the answer.
  mutating func add(_ other: AnswerChange, by model: (any PersistentModel)?) {
    change = max(change, other)
    guard other == .list else { return }
    if let model, let count = moved?.count, count < Self.mostMoved {
      moved?.append(model)
    } else {
      moved = nil
    }
  }

  /// Adds other news.
  mutating func add(_ other: AnswerNews) {
    change = max(change, other.change)
    guard let more = other.moved, let count = moved?.count, count + more.count <= Self.mostMoved
    else {
      moved = nil
      return
    }
    moved? += more
  }
}
