import StoreProtocol

extension ModelContext {
  /// Changes the objects of this context back to what they were before a transaction.
  ///
  /// New objects are deleted, changed ones get their earlier values and relationships, and deleted
  /// ones are inserted again, under new identifiers, since these are never given twice. Like other
  /// changes these take effect at the next save; ``rollback()`` takes them back. Changes of other
  /// transactions stay.
  ///
  /// - Throws: ``DataStoreError/conflict`` with the row that a later save, or an unsaved change of
  ///   this context, has changed in the same properties; ``DataStoreError/unsupportedFeature``
  ///   with the row and property of which the history does not have the earlier value (see
  ///   ``HistoryOptions/Content/values``); `SwiftDataError.historyTokenExpired` when the
  ///   transaction was forgotten; and what the store throws. Nothing is changed then, but where the
  ///   store fails in between.
  /// - Complexity: O(*n*) in the changes of the transaction and of those after it.
  public func revert(_ transaction: DefaultHistoryTransaction) throws {
    state.autosave.catchUp(state)
    let stores = HistoryStores(state.core.backends).keeping
    guard let store = stores.first(where: { $0.identifier == transaction.storeIdentifier }) else {
      throw HistoryStores.unsupported(DefaultHistoryTransaction.self)
    }
    var reversal = try HistoryReversal(transaction.transactionIdentifier, of: store, in: state)
    try reversal.run()
  }
}
