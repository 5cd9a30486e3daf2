/// A deleted model, as recorded by the stores of this package.
public struct DefaultHistoryDelete<Model>: HistoryDelete, Hashable where Model: PersistentModel {

  /// The number of this change, increasing within its store.
  public let changeIdentifier: Int64
  /// The number of the transaction that contains this change.
  public let transactionIdentifier: Int64
  /// The identifier of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The preserved values.
  public let tombstone: HistoryTombstone<Model>
  /// The part of the save that deleted the model: the program, or the delete rule of another model.
  public let cause: StoreChange.Cause

  /// Creates a change.
  ///
  /// Only stores create changes.
  package init(
    changeIdentifier: Int64,
    transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier,
    tombstone: HistoryTombstone<Model> = HistoryTombstone(),
    cause: StoreChange.Cause = .program
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.tombstone = tombstone
    self.cause = cause
  }

  /// Compares the numbers and the model: a change is immutable.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier
      && lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the numbers and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(transactionIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
