import Foundation
import StoreProtocol

// What a wrapping store has where the store below has it; each kind of store adopts the protocols.

extension WrappingStore where Base: HistoryKeeping {
  /// The transactions of the store below.
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try base.transactions(query)
  }

  /// Has the store below forget transactions.
  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try base.deleteTransactions(filter)
  }

  /// From where to where the history of the store below goes.
  public func historyBounds() throws -> HistoryBounds { try base.historyBounds() }
}

extension WrappingStore where Base: MaintainableStore {
  /// Looks for damage in the store below.
  public func verify() throws -> [StoreProblem] { try base.verify() }

  /// Brings the store below into its smallest form.
  public func compact() throws { try base.compact() }

  /// Writes a copy of the store below.
  public func backup(to url: URL) throws { try base.backup(to: url) }
}

extension WrappingStore where Base: MigratableStore {
  /// Begins to migrate the store below.
  public static func beginMigration(
    of configuration: Configuration
  ) throws -> (any StoreMigration)? {
    try Base.beginMigration(of: configuration.base)
  }
}

extension WrappingStore where Base: RewritableStore {
  /// The schema under which the store below was written.
  public static func storedSchema(of configuration: Configuration) throws -> StoreSchema? {
    try Base.storedSchema(of: configuration.base)
  }

  /// A place like that of the store below, with the same around it.
  public static func emptyPlace(
    for configuration: Configuration,
    number: Int
  ) throws -> Configuration {
    var place = configuration
    place.base = try Base.emptyPlace(for: configuration.base, number: number)
    return place
  }

  /// Puts the store of a place in that of the store below.
  public static func replace(_ configuration: Configuration, by place: Configuration) throws {
    try Base.replace(configuration.base, by: place.base)
  }

  /// Removes the store of a place.
  public static func remove(_ place: Configuration) { Base.remove(place.base) }
}
