/// A change of one model.
public enum HistoryChange: Sendable {
  /// The model is new.
  case insert(any HistoryInsert)
  /// Properties of the model have new values.
  case update(any HistoryUpdate)
  /// The model was deleted.
  case delete(any HistoryDelete)

  /// The identifier of the changed model.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}
