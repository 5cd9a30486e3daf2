/// An inserted model, as recorded by the stores of this package.
public struct DefaultHistoryInsert<Model>: HistoryInsert, Hashable where Model: PersistentModel {

  /// The number of this change, increasing within its store.
  public let changeIdentifier: Int64
  /// The number of the transaction that contains this change.
  public let transactionIdentifier: Int64
  /// The identifier of the model.
  public let changedPersistentIdentifier: PersistentIdentifier

  /// Creates a change.
  ///
  /// Only stores create changes.
  package init(
    changeIdentifier: Int64,
    transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
  }
}
