import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches the changes that were saved by this and other contexts and processes.
  ///
  /// It queries the stores that have transactions of this type; unsaved changes are not included.
  /// The oldest transaction comes first unless the descriptor specifies otherwise. The transactions
  /// of several stores are merged by time, and the token of each contains the position in all of
  /// them.
  ///
  /// ```swift
  /// let last = UserDefaults.standard.token
  /// let changes = try context.fetchHistory(
  ///   HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
  /// ```
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` if the predicate's token precedes the history;
  ///   `invalidTransactionFetchRequest` for a predicate that cannot be evaluated;
  ///   ``DataStoreError/unsupportedFeature`` if no store has such transactions; and errors of the
  ///   stores.
  /// - Complexity: O(*n*) in the transactions that satisfy the part that stores evaluate themselves
  ///   (numbers, tokens, times, strings and names of changed entities) and in their changes.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    state.existingAutosave?.catchUp(state)
    return try HistoryStores(state.core.stores).fetch(descriptor)
  }

  /// Deletes transactions; tokens of positions before the last of them expire.
  ///
  /// - Throws: Errors of ``fetchHistory(_:)``. Nothing is then deleted in the store that throws,
  ///   while stores before it have already deleted theirs.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    try HistoryStores(state.core.stores).delete(descriptor)
  }

  /// Returns the position behind all saves so far, in all stores that keep a history of their own.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if there is none, and errors of the stores.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    try HistoryStores(state.core.stores).currentToken()
  }
}
