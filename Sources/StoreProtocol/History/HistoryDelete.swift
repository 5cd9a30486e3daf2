/// A model that was deleted.
public protocol HistoryDelete<Model>: Sendable {
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
  /// The identity that the model had.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that were preserved.
  var tombstone: HistoryTombstone<Self.Model> { get }
}
