import Foundation

/// A store that is migrated by rewriting its rows.
///
/// With these few functions a store supports all features of a migration plan: stages with code,
/// rehearsals, atomicity. The store's own fetch reads the rows under the older schema, and its own
/// save writes them under the newer one, in a separate location. Identifiers are assigned anew, so
/// the code of a stage finds an object of the other version by its values.
public protocol RewritableStore: RecordStore {
  /// Returns the schema with which the store of a configuration was written, or `nil` if there is
  /// no store yet.
  ///
  /// A store keeps its schema with its rows for this purpose; `StoreSchema` is `Codable`.
  static func storedSchema(of configuration: Configuration) throws -> StoreSchema?

  /// Returns an empty, private location for a store.
  ///
  /// Anything that a killed process left there is removed.
  ///
  /// - Parameters:
  ///   - configuration: The store to migrate.
  ///   - number: A number that distinguishes the locations of one migration.
  /// - Returns: The configuration of the location, without a schema.
  /// - Throws: The errors of the system.
  static func emptyLocation(
    for configuration: Configuration,
    number: Int
  ) throws -> Configuration

  /// Replaces a store with the store at another location, atomically and durably.
  ///
  /// - Throws: The errors of the system; the store is then unchanged.
  static func replace(_ configuration: Configuration, by location: Configuration) throws

  /// Removes the store at a location, as far as the system permits.
  static func remove(_ location: Configuration)
}
