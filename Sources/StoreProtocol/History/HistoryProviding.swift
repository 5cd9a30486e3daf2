/// A store that reports changes save by save.
public protocol HistoryProviding {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions, for code that has only the store's type.
  static var historyType: HistoryType.Type { get }

  /// Returns the transactions that match a descriptor, oldest first unless the descriptor sets
  /// another order.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the predicate's token refers to deleted
  ///   history, ``SwiftDataError/invalidTransactionFetchRequest`` for an unsupported descriptor, or
  ///   a ``DataStoreError`` if the store cannot be read.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that match a descriptor; tokens that refer to them expire.
  ///
  /// - Throws: The errors of ``fetchHistory(_:)``; then nothing is deleted.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
