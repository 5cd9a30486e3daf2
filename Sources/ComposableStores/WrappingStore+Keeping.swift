import Foundation
import StoreProtocol

// Features that a wrapping store has if the wrapped store has them; each kind of store adopts the
// protocols.

extension WrappingStore where Base: HistoryKeeping {
  /// Returns transactions of the wrapped store's history.
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try base.transactions(query)
  }

  /// Deletes a part of the history of the wrapped store.
  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try base.deleteTransactions(filter)
  }

  /// Returns the bounds of the wrapped store's history.
  public func historyBounds() throws -> HistoryBounds { try base.historyBounds() }

  /// Returns the identifier of the last save at a position in the wrapped store.
  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try base.saveIdentifier(at: number)
  }

  /// Returns the named readers of the wrapped store.
  public func historyReaders() throws -> [HistoryReaderPosition] { try base.historyReaders() }

  /// Stores the position of a reader in the wrapped store.
  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try base.setHistoryReader(position)
  }

  /// Removes a reader from the wrapped store.
  public func removeHistoryReader(_ name: String) throws { try base.removeHistoryReader(name) }
}

extension WrappingStore where Base: MaintainableStore {
  /// Returns the problems of the wrapped store.
  public func verify() throws -> [StoreProblem] { try base.verify() }

  /// Compacts the wrapped store.
  public func compact() throws { try base.compact() }

  /// Copies the wrapped store.
  public func backup(to url: URL) throws { try base.backup(to: url) }
}

extension WrappingStore where Base: MigratableStore {
  /// Begins to migrate the wrapped store.
  public static func beginMigration(
    of configuration: Configuration
  ) throws -> (any StoreMigration)? {
    try Base.beginMigration(of: configuration.base)
  }
}

extension WrappingStore where Base: RewritableStore {
  /// Returns the schema with which the wrapped store was written.
  public static func storedSchema(of configuration: Configuration) throws -> StoreSchema? {
    try Base.storedSchema(of: configuration.base)
  }

  /// Returns an empty location for a wrapped store, with the wrapper's settings.
  public static func emptyLocation(
    for configuration: Configuration,
    number: Int
  ) throws -> Configuration {
    var location = configuration
    location.base = try Base.emptyLocation(for: configuration.base, number: number)
    return location
  }

  /// Replaces one wrapped store by another.
  public static func replace(_ configuration: Configuration, by location: Configuration) throws {
    try Base.replace(configuration.base, by: location.base)
  }

  /// Removes the wrapped store at a location.
  public static func remove(_ location: Configuration) { Base.remove(location.base) }
}
