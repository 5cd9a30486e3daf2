import Foundation

/// The changes of one save, in order.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of history positions.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of transaction identifiers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the save.
  var timestamp: Date { get }
  /// The changes, in order.
  var changes: [HistoryChange] { get }
  /// The position after this transaction; later transactions have greater positions.
  var token: TokenType { get }
  /// The identifier of the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the changed store.
  var storeIdentifier: String { get }
  /// The author of the changes, as set by the context.
  var author: String? { get }
}
