import Foundation

/// A request for history on its way to a store that is written the plain way.
///
/// What of the predicate, the order and the limit the plain query can say is asked of the store;
/// the rest is done over its answer, by Foundation's own evaluation.
package struct HistoryRequest {
  /// What the store is asked.
  package let query: StoreHistoryQuery
  /// Whether the store's answer is the answer.
  package let isAnswered: Bool
  private let descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  private let store: String
  private let tokens: [HistoryLowering.TokenUse]

  /// Works out what a store is asked.
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
    isAnswered = isExact && order != nil
    if isAnswered, descriptor.fetchLimit > 0 {
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

  /// Refuses tokens of positions from which the history does not go on without a gap.
  ///
  /// - Throws: What ``HistoryKeeping/checkHistory(after:)`` throws.
  package func check(_ store: some HistoryKeeping) throws {
    for use in tokens where use.asksForLater { try store.checkHistory(after: use.token) }
  }

  /// Refuses tokens of stores in the place of which others are there.
  ///
  /// - Parameter stores: The identifiers of all stores that are asked.
  /// - Throws: ``SwiftDataError/historyTokenDiverged``.
  package func check(among stores: [String]) throws {
    for use in tokens where use.asksForLater { try use.token.check(among: stores) }
  }

  /// The answer, from what the store gave.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` for a predicate that cannot be
  ///   evaluated.
  package func answer(
    _ found: [StoreTransaction],
    schema: Schema
  ) throws -> [DefaultHistoryTransaction] {
    let maker = HistoryMaker(schema: schema, store: store)
    let all = found.map(maker.transaction)
    if isAnswered { return all }
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

  /// The transaction with a token that stands, in other stores, where the predicate's tokens do.
  ///
  /// A token of one store alone would stand at the beginning of all others.
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

extension DefaultHistoryTransaction {
  /// The transaction with another token.
  package func with(_ token: DefaultHistoryToken) -> DefaultHistoryTransaction {
    DefaultHistoryTransaction(
      timestamp: timestamp,
      makingChanges: { changes },
      token: token,
      transactionIdentifier: transactionIdentifier,
      saveIdentifier: saveIdentifier,
      storeIdentifier: storeIdentifier,
      bundleIdentifier: bundleIdentifier,
      processIdentifier: processIdentifier,
      author: author,
      origin: origin
    )
  }
}
