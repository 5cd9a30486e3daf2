import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches what saves of this and of other contexts and processes changed.
  ///
  /// The stores that tell of such transactions are asked; unsaved changes are in none. The oldest
  /// comes first unless the descriptor says otherwise. Where several stores answer, their
  /// transactions are joined by time, and the token of each stands for the position in all of them.
  ///
  /// ```swift
  /// let last = UserDefaults.standard.token
  /// let changes = try context.fetchHistory(
  ///   HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
  /// ```
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` when the predicate's token stands before what
  ///   is remembered, `invalidTransactionFetchRequest` for a predicate that cannot be evaluated,
  ///   ``DataStoreError/unsupportedFeature`` when no store tells of such transactions, and what the
  ///   stores throw.
  /// - Complexity: O(*n*) in the transactions that satisfy what stores judge themselves (numbers,
  ///   tokens, times, texts and names of changed entities) and in their changes.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    state.autosave.catchUp(state)
    return try HistoryStores(state.core.backends).fetch(descriptor)
  }

  /// Forgets transactions; tokens of positions before the last of them expire.
  ///
  /// - Throws: What ``fetchHistory(_:)`` throws. Nothing is forgotten then in the store that
  ///   throws, while stores before it have done so already.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    try HistoryStores(state.core.backends).delete(descriptor)
  }

  /// The position behind all saves so far, in all stores that keep a history of their own.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` when there is none, and what the stores throw.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    try HistoryStores(state.core.backends).currentToken()
  }
}
