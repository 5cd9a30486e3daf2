import StoreProtocol

extension ModelContext {
  /// Changes the objects of this context back to their state before a transaction.
  ///
  /// New objects are deleted, and changed ones get their earlier values and relationships. Deleted
  /// ones are inserted again under new identifiers, since identifiers are never reused. Like other
  /// changes these take effect at the next save; ``rollback()`` reverts them. Changes of other
  /// transactions are kept.
  ///
  /// - Throws: ``DataStoreError/conflict`` with the row in which a later save, or an unsaved change
  ///   of this context, changed the same properties; ``DataStoreError/unsupportedFeature`` with the
  ///   row and property of which the history does not have the earlier value (see
  ///   ``HistoryOptions/Content/values``); `SwiftDataError.historyTokenExpired` if the transaction
  ///   was deleted from the history; and errors of the store. Nothing is then changed, unless the
  ///   store fails in between.
  /// - Complexity: O(*n*) in the changes of the transaction and of those after it.
  public func revert(_ transaction: DefaultHistoryTransaction) throws {
    state.existingAutosave?.catchUp(state)
    let stores = HistoryStores(state.core.stores).keeping
    guard let store = stores.first(where: { $0.identifier == transaction.storeIdentifier }) else {
      throw HistoryStores.unsupported(DefaultHistoryTransaction.self)
    }
    var reversal = try HistoryReversal(transaction.transactionIdentifier, of: store, in: state)
    try reversal.run()
  }
}
