/// An updated model, as recorded by the stores of this package.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate, Hashable where Model: PersistentModel {

  /// The number of this change, increasing within its store.
  public let changeIdentifier: Int64
  /// The number of the transaction that contains this change.
  public let transactionIdentifier: Int64
  /// The identifier of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that have new values.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// The part of the save that changed the model: the program, a delete rule, or a merge with a new
  /// object.
  public let cause: StoreChange.Cause
  /// The properties that a delete rule changed: references that became `nil`, and lists that lost
  /// an element.
  ///
  /// The save may also change other properties.
  public let clearedAttributes: [any PartialKeyPath<Model> & Sendable]

  /// Creates a change.
  ///
  /// Only stores create changes.
  package init(
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
