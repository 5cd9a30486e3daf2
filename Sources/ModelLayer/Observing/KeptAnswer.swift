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
  func mayHaveChanged(_ change: AnswerChange)
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
