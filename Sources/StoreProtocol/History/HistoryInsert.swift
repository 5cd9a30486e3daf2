/// A model that was inserted.
public protocol HistoryInsert<Model>: Sendable {
  /// The model type.
  associatedtype Model: PersistentModel
  /// The type of the identities of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the identities of changes.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identity of this change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that this change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}
