import Foundation

/// A history request for a store that implements ``HistoryKeeping``.
///
/// The store handles the parts of the predicate, the order and the limit that the plain query can
/// express. Foundation's evaluation applies the rest to the store's result.
package struct HistoryRequest {
  package let query: StoreHistoryQuery
  /// Whether the store's result needs no further evaluation.
  package let isFullyEvaluated: Bool
  private let descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  private let store: String
  private let tokens: [HistoryLowering.TokenUse]

  /// Translates a descriptor into the query for a store.
  package init(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    store: String
  ) {
    self.descriptor = descriptor
    self.store = store
    var query = StoreHistoryQuery()
    var isExact = true
    var tokens: [HistoryLowering.TokenUse] = []
    if let predicate = descriptor.predicate {
      let lowering = HistoryLowering(predicate.variable, store: store)
      let part = lowering.lower(predicate.expression)
      query.filter = part.filter
      isExact = part.isExact
      tokens = lowering.tokens
    }
    let order = Self.order(descriptor.sortBy)
    query.order = order ?? []
    isFullyEvaluated = isExact && order != nil
    if isFullyEvaluated, descriptor.fetchLimit > 0 {
      query.limit = Int(clamping: descriptor.fetchLimit)
    }
    self.query = query
    self.tokens = tokens
  }

  private static func order(
    _ terms: [SortDescriptor<DefaultHistoryTransaction>]
  ) -> [StoreHistoryQuery.Term]? {
    var order: [StoreHistoryQuery.Term] = []
    for term in terms {
      guard let path = term.keyPath, let column = HistoryColumn(path)?.sortColumn else {
        return nil
      }
      order.append(StoreHistoryQuery.Term(column, isReversed: term.order == .reverse))
    }
    return order
  }

  /// Throws for tokens from which the history does not continue without a gap.
  ///
  /// - Throws: The errors of ``HistoryKeeping/checkHistory(after:)``.
  package func check(_ store: some HistoryKeeping) throws {
    for use in tokens where use.requiresLaterHistory { try store.checkHistory(after: use.token) }
  }

  /// Throws for tokens of stores that were replaced by other stores.
  ///
  /// - Parameter stores: The identifiers of all queried stores.
  /// - Throws: ``SwiftDataError/historyTokenDiverged``.
  package func check(among stores: [String]) throws {
    for use in tokens where use.requiresLaterHistory { try use.token.check(among: stores) }
  }

  /// Returns the number in a store after which the request selects transactions, or 0 if its
  /// predicate names no position.
  package func start(in store: String) -> Int64 {
    tokens.filter(\.requiresLaterHistory).map { $0.token[store].number }.min() ?? 0
  }

  /// Returns the transactions of the request, from the store's result.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` for a predicate that cannot be
  ///   evaluated.
  package func evaluate(
    _ found: [StoreTransaction],
    schema: Schema
  ) throws -> [DefaultHistoryTransaction] {
    let maker = HistoryBuilder(schema: schema, store: store)
    let all = found.map(maker.transaction)
    if isFullyEvaluated { return all }
    let predicate = descriptor.predicate
    var kept: [DefaultHistoryTransaction] = []
    do {
      for transaction in all where try predicate?.evaluate(padded(transaction)) ?? true {
        kept.append(transaction)
      }
    } catch {
      throw SwiftDataError.invalidTransactionFetchRequest.with(
        "the predicate of the history descriptor cannot be evaluated",
        cause: error
      )
    }
    if !descriptor.sortBy.isEmpty { kept.sort(using: descriptor.sortBy) }
    guard descriptor.fetchLimit > 0 else { return kept }
    return Array(kept.prefix(Int(clamping: descriptor.fetchLimit)))
  }

  /// Returns the transaction with a token that has the positions of the predicate's tokens in other
  /// stores.
  ///
  /// A token of one store alone would refer to the beginning of all other histories.
  private func padded(_ transaction: DefaultHistoryTransaction) -> DefaultHistoryTransaction {
    var positions: [String: Int64] = [:]
    var saves: [String: UUID] = [:]
    for use in tokens {
      for (name, number) in use.token.tokenValue ?? [:] where number > positions[name] ?? -1 {
        positions[name] = number
        saves[name] = use.token.saveIdentifiers[name]
      }
    }
    guard positions.contains(where: { $0.key != store }) else { return transaction }
    positions[store] = transaction.transactionIdentifier
    saves[store] = transaction.saveIdentifier
    return transaction.with(DefaultHistoryToken(tokenValue: positions, saveIdentifiers: saves))
  }
}
