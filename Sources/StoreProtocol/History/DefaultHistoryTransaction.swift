import Foundation

/// One save, as the stores that come with this package remember it.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The type of the identities of transactions.
  public typealias TransactionIdentifier = Int64
  /// The type of positions in the history.
  public typealias TokenType = DefaultHistoryToken

  /// When the changes were saved.
  public let timestamp: Date
  /// What changed, in order.
  public let changes: [HistoryChange]
  /// The position behind this transaction.
  public let token: DefaultHistoryToken
  /// The number of the transaction in its store, rising from save to save.
  public let transactionIdentifier: Int64
  /// The store that was changed.
  public let storeIdentifier: String
  /// The program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// Who changed it, as the context said.
  public let author: String?

  /// Creates a transaction; stores make them.
  public init(
    timestamp: Date,
    changes: [HistoryChange],
    token: DefaultHistoryToken,
    transactionIdentifier: Int64,
    storeIdentifier: String,
    bundleIdentifier: String = "",
    processIdentifier: String = "",
    author: String? = nil
  ) {
    self.timestamp = timestamp
    self.changes = changes
    self.token = token
    self.transactionIdentifier = transactionIdentifier
    self.storeIdentifier = storeIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.author = author
  }

  /// The number of the transaction.
  public var id: Int64 { transactionIdentifier }

  /// Compares store and number: a transaction never changes.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  /// Hashes store and number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
