/// A model whose properties changed, as the stores of this package remember it.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate, Hashable where Model: PersistentModel {
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
  /// The properties that have new values.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// The part of the save that changed the model: the program, a delete rule, or the merge of a new
  /// object.
  public let cause: StoreChange.Cause
  /// The properties that a delete rule changed, in a save that changes others as well or in one that
  /// does not: references that became `nil`, and lists that lost a member.
  public let clearedAttributes: [any PartialKeyPath<Model> & Sendable]

  /// Creates a change; stores make them.
  public init(
    changeIdentifier: Int64,
    transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier,
    updatedAttributes: [any PartialKeyPath<Model> & Sendable],
    cause: StoreChange.Cause = .program,
    clearedAttributes: [any PartialKeyPath<Model> & Sendable] = []
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.updatedAttributes = updatedAttributes
    self.cause = cause
    self.clearedAttributes = clearedAttributes
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
