import Foundation
import ModelLayer
import SQLiteStore

extension DefaultStore {
  /// The SQLite store itself, for what it alone offers, as `withConnection`.
  public var sqliteStore: SQLiteStore { base }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try base.select(selection, body)
  }

  public func part(of query: StoreQuery) throws -> StoreQueryPart { try base.part(of: query) }

  public func explain(_ query: StoreQuery) throws -> StoreExplanation { try base.explain(query) }

  public func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    try base.explain(selection)
  }

  public func supports(_ change: BulkChange) throws -> Bool { try base.supports(change) }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try base.outcome(ofSave: identifier)
  }
}

extension DefaultStore: MaintainableStore {
  public func verify() throws -> [StoreProblem] { try base.verify() }

  public func compact() throws { try base.compact() }

  public func backup(to url: URL) throws { try base.backup(to: url) }
}

extension DefaultStore {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try base.transactions(query)
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try base.deleteTransactions(filter)
  }

  public func historyBounds() throws -> HistoryBounds { try base.historyBounds() }
}
