/// A store that tells what changed, save by save.
public protocol HistoryProviding {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions, for code that has only the store's type.
  static var historyType: HistoryType.Type { get }

  /// The transactions that a descriptor asks for, oldest first unless it says otherwise.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when the predicate's token points into
  ///   history that was deleted, ``SwiftDataError/invalidTransactionFetchRequest`` for a descriptor
  ///   that cannot be answered, or a ``DataStoreError`` when the store cannot be read.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that a descriptor asks for; tokens in them expire.
  ///
  /// - Throws: What ``fetchHistory(_:)`` throws; nothing is deleted then.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
