import Foundation

/// The changes of one save, in order.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of positions in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of the identities of transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When the changes were saved.
  var timestamp: Date { get }
  /// What changed, in order.
  var changes: [HistoryChange] { get }
  /// The position behind this transaction: what comes later has a greater one.
  var token: TokenType { get }
  /// The identity of the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that was changed.
  var storeIdentifier: String { get }
  /// Who changed it, as the context said.
  var author: String? { get }
}
