import Foundation
import StoreProtocol

// What a wrapping store has where the store below has it; each kind of store adopts the protocols.

extension WrappingStore where Base: HistoryKeeping {
  /// What the store below has in its history.
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try base.transactions(query)
  }

  /// Forgets a part of the history of the store below.
  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try base.deleteTransactions(filter)
  }

  /// From where to where the history of the store below goes.
  public func historyBounds() throws -> HistoryBounds { try base.historyBounds() }

  /// The identifier of the save that a position in the store below has seen last.
  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try base.saveIdentifier(at: number)
  }

  /// The named readers of the store below.
  public func historyReaders() throws -> [HistoryReaderPosition] { try base.historyReaders() }

  /// Keeps the position of a reader in the store below.
  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try base.setHistoryReader(position)
  }

  /// Forgets a reader in the store below.
  public func removeHistoryReader(_ name: String) throws { try base.removeHistoryReader(name) }
}

extension WrappingStore where Base: MaintainableStore {
  /// What is wrong with the store below.
  public func verify() throws -> [StoreProblem] { try base.verify() }

  /// Brings the store below into its smallest form.
  public func compact() throws { try base.compact() }

  /// Copies the store below.
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
  /// The schema with which the store below was written.
  public static func storedSchema(of configuration: Configuration) throws -> StoreSchema? {
    try Base.storedSchema(of: configuration.base)
  }

  /// A place for a store below, with what stands around it.
  public static func emptyPlace(
    for configuration: Configuration,
    number: Int
  ) throws -> Configuration {
    var place = configuration
    place.base = try Base.emptyPlace(for: configuration.base, number: number)
    return place
  }

  /// Puts one store below in the place of another.
  public static func replace(_ configuration: Configuration, by place: Configuration) throws {
    try Base.replace(configuration.base, by: place.base)
  }

  /// Removes the store below of a place.
  public static func remove(_ place: Configuration) { Base.remove(place.base) }
}
