import StoreProtocol

extension AlteredStore: HistoryKeeping {
  func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    let base = try keeping
    return try alterations.transactions?(base, query) ?? base.transactions(query)
  }

  func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    let base = try keeping
    guard let delete = alterations.deleteTransactions else {
      return try base.deleteTransactions(filter)
    }
    try delete(base, filter)
  }

  func historyBounds() throws -> HistoryBounds {
    let bounds = try keeping.historyBounds()
    return alterations.historyBounds?(bounds) ?? bounds
  }

  private var keeping: any HistoryKeeping {
    get throws {
      if let keeping = base as? any HistoryKeeping { return keeping }
      throw DataStoreError(.unsupportedFeature, "the store keeps no history that can be passed on")
    }
  }
}
