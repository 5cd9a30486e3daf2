/// A model whose properties changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The model type.
  associatedtype Model: PersistentModel
  /// The type of the identities of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the identities of changes.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable

  /// The identity of this change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that this change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that have new values; history does not keep the values.
  var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}
