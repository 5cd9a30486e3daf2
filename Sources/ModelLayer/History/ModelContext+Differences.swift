import Foundation
import StoreProtocol

extension ModelContext {
  /// What the saves between two positions come to, one change a row.
  ///
  /// A row that was inserted and deleted in between is none. Values of before and after are there as
  /// far as the stores keep them (``HistoryOptions/Content/values``).
  ///
  /// - Parameters:
  ///   - start: The position before the first save.
  ///   - end: The position behind the last one, nil for now.
  /// - Returns: The changes, in the order in which the rows were first changed, store by store.
  /// - Throws: `SwiftDataError.historyTokenExpired` when the history does not reach back,
  ///   `historyTokenDiverged` when a position is of another past than the store's,
  ///   `invalidTransactionFetchRequest` when the positions are the wrong way round,
  ///   ``DataStoreError/unsupportedFeature`` when no store keeps a history, and what stores throw.
  /// - Complexity: O(*n*) in the changes between the positions.
  public func diff(
    from start: DefaultHistoryToken,
    to end: DefaultHistoryToken? = nil
  ) throws -> [StoreChange] {
    state.autosave.catchUp(state)
    let stores = HistoryStores(state.core.backends).keeping
    guard !stores.isEmpty else {
      throw HistoryStores.unsupported(DefaultHistoryTransaction.self)
    }
    for token in [start, end ?? start] { try token.check(among: stores.map(\.identifier)) }
    return try stores.flatMap { try $0.netChanges(from: start, to: end) }
  }
}

extension HistoryKeeping {
  /// What the saves between two positions come to in this store.
  package func netChanges(
    from start: DefaultHistoryToken,
    to end: DefaultHistoryToken?
  ) throws -> [StoreChange] {
    let first = start.tokenValue?[identifier] ?? 0
    var filters: [StoreHistoryFilter] = [.number(.greater, first)]
    if let last = end?.tokenValue.map({ $0[identifier] ?? 0 }) {
      guard last >= first else {
        throw SwiftDataError.invalidTransactionFetchRequest.with(
          "the first token stands at transaction \(first) and the second before it, at \(last)"
        )
      }
      filters.append(.number(.lessOrEqual, last))
    }
    var net = HistoryNet()
    for transaction in try transactions(StoreHistoryQuery(filter: .all(filters))) {
      net.add(transaction)
    }
    // Asked afterwards: what was forgotten meanwhile is found out so.
    try checkHistory(after: start.position(in: identifier))
    if let end { try checkHistory(after: end.position(in: identifier)) }
    return net.result
  }
}
