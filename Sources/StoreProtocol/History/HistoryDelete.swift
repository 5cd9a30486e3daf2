/// A deleted model.
public protocol HistoryDelete<Model>: Sendable {
  /// The model type.
  associatedtype Model: PersistentModel
  /// The type of transaction identifiers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change identifiers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of this change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that contains this change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the deleted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The preserved values.
  var tombstone: HistoryTombstone<Self.Model> { get }
}
