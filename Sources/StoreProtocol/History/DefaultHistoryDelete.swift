/// A model that was deleted, as the stores of this package remember it.
public struct DefaultHistoryDelete<Model>: HistoryDelete, Hashable where Model: PersistentModel {
  /// The type of the identities of transactions.
  public typealias TransactionIdentifier = Int64
  /// The type of the identities of changes.
  public typealias ChangeIdentifier = Int64

  /// The number of this change, rising within its store.
  public let changeIdentifier: Int64
  /// The number of the transaction that this change belongs to.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that were preserved.
  public let tombstone: HistoryTombstone<Model>
  /// The part of the save that deleted the model: the program, or the delete rule of another one.
  public let cause: StoreChange.Cause

  /// Creates a change; stores make them.
  public init(
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

  /// Compares numbers and model: a change never changes.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier
      && lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes numbers and model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(transactionIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
