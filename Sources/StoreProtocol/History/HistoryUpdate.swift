/// An updated model.
public protocol HistoryUpdate<Model>: Sendable {
  /// The model type.
  associatedtype Model: PersistentModel
  /// The type of transaction identifiers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change identifiers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable

  /// The identifier of this change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that contains this change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that have new values; the history does not keep the values.
  var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}
