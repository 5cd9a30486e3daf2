import Foundation
import StoreProtocol

// What a wrapping store has where the store below has it; each kind of store adopts the protocols.

extension WrappingStore where Base: HistoryKeeping {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try base.transactions(query)
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try base.deleteTransactions(filter)
  }

  public func historyBounds() throws -> HistoryBounds { try base.historyBounds() }
}

extension WrappingStore where Base: MaintainableStore {
  public func verify() throws -> [StoreProblem] { try base.verify() }

  public func compact() throws { try base.compact() }

  public func backup(to url: URL) throws { try base.backup(to: url) }
}

extension WrappingStore where Base: MigratableStore {
  public static func beginMigration(
    of configuration: Configuration
  ) throws -> (any StoreMigration)? {
    try Base.beginMigration(of: configuration.base)
  }
}

extension WrappingStore where Base: RewritableStore {
  public static func storedSchema(of configuration: Configuration) throws -> StoreSchema? {
    try Base.storedSchema(of: configuration.base)
  }

  public static func emptyPlace(
    for configuration: Configuration,
    number: Int
  ) throws -> Configuration {
    var place = configuration
    place.base = try Base.emptyPlace(for: configuration.base, number: number)
    return place
  }

  public static func replace(_ configuration: Configuration, by place: Configuration) throws {
    try Base.replace(configuration.base, by: place.base)
  }

  public static func remove(_ place: Configuration) { Base.remove(place.base) }
}
