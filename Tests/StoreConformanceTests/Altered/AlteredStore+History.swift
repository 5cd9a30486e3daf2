import OpenSwiftData

@testable import StoreConformance

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

  func saveIdentifier(at number: Int64) throws -> UUID? {
    let base = try keeping
    return try alterations.saveIdentifier?(base, number) ?? base.saveIdentifier(at: number)
  }

  func historyReaders() throws -> [HistoryReaderPosition] {
    let readers = try keeping.historyReaders()
    return alterations.historyReaders?(readers) ?? readers
  }

  func setHistoryReader(_ position: HistoryReaderPosition) throws {
    let base = try keeping
    guard let set = alterations.setHistoryReader else { return try base.setHistoryReader(position) }
    try set(base, position)
  }

  func removeHistoryReader(_ name: String) throws {
    let base = try keeping
    guard let remove = alterations.removeHistoryReader else {
      return try base.removeHistoryReader(name)
    }
    try remove(base, name)
  }

  private var keeping: any HistoryKeeping {
    get throws {
      if let keeping = base as? any HistoryKeeping { return keeping }
      throw DataStoreError(.unsupportedFeature, "the store keeps no history that can be passed on")
    }
  }
}
