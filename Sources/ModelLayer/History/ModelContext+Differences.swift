import Foundation
import StoreProtocol

extension ModelContext {
  /// Returns the net changes of the saves between two positions, one change per row.
  ///
  /// A row that was inserted and deleted in between is left out. Values before and after are
  /// included as far as the stores keep them (``HistoryOptions/Content/values``).
  ///
  /// - Parameters:
  ///   - start: The position before the first save.
  ///   - end: The position behind the last one, or `nil` for the current one.
  /// - Returns: The changes, in the order in which the rows were first changed, store by store.
  /// - Throws: `SwiftDataError.historyTokenExpired` if the history does not reach back;
  ///   `historyTokenDiverged` if a position is not from the store's past;
  ///   `invalidTransactionFetchRequest` if the positions are reversed;
  ///   ``DataStoreError/unsupportedFeature`` if no store keeps a history; and errors of stores.
  /// - Complexity: O(*n*) in the changes between the positions.
  public func diff(
    from start: DefaultHistoryToken,
    to end: DefaultHistoryToken? = nil
  ) throws -> [StoreChange] {
    state.existingAutosave?.catchUp(state)
    let stores = try HistoryStores(state.core.stores).requireKeeping()
    for token in [start, end ?? start] { try token.check(among: stores.map(\.identifier)) }
    return try stores.flatMap { try $0.netChanges(from: start, to: end) }
  }
}

extension HistoryKeeping {
  /// Returns the net changes of the saves between two positions in this store.
  package func netChanges(
    from start: DefaultHistoryToken,
    to end: DefaultHistoryToken?
  ) throws -> [StoreChange] {
    let first = start.tokenValue?[identifier] ?? 0
    var filters: [StoreHistoryFilter] = [.number(.greater, first)]
    if let last = end?.tokenValue.map({ $0[identifier] ?? 0 }) {
      guard last >= first else {
        throw SwiftDataError.invalidTransactionFetchRequest.with(
          "the first token is at transaction \(first), after the second at \(last); pass the "
            + "earlier token first"
        )
      }
      filters.append(.number(.lessOrEqual, last))
    }
    var net = HistoryNet()
    let found = try transactions(StoreHistoryQuery(filter: .all(filters)))
    try checkChangeCount(of: found)
    for transaction in found { net.add(transaction) }
    // Checked afterwards, so that a deletion of transactions in the meantime is detected.
    try checkHistory(after: start.position(in: identifier))
    if let end { try checkHistory(after: end.position(in: identifier)) }
    return net.result
  }

  /// Throws if long ranges of keys state more changed rows than can be examined one by one.
  ///
  /// A range takes a few bytes in a file, however many rows it states. The limit leaves room for the
  /// rows that a large store really has.
  func checkChangeCount(of transactions: [StoreTransaction]) throws {
    var (total, limit, hasCounted) = (0, 1 << 22, false)
    for transaction in transactions {
      total += transaction.changes.ranges.reduce(0) { $0 + max(0, $1.count - 1_000) }
      if total > limit, !hasCounted {
        for entity in schema.storeSchema.entities {
          limit += try count(StoreQuery(entity: entity.name))
        }
        hasCounted = true
      }
      guard total > limit else { continue }
      throw DataStoreError(
        .unsupportedFeature,
        "transaction \(transaction.number) of the store \(identifier) states "
          + "\(transaction.changes.count) changed rows, more than can be examined one by one; "
          + "delete the history up to it, or choose other transactions"
      )
    }
  }
}
