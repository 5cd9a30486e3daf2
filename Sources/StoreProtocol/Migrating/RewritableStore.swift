import Foundation

/// A store without migration of its own, which is migrated by writing its rows anew.
///
/// With these few functions a store gets all that a migration plan offers: stages with code,
/// rehearsals, all or nothing. Rows are read by the store's own fetch under the older schema and
/// written by its own save under the newer one, in a place of their own. Identifiers are given anew,
/// so that a stage's code finds an object in the other version by its values.
public protocol RewritableStore: RecordStore {
  /// The schema under which the store of a configuration was written, nil where there is none yet.
  ///
  /// A store keeps its schema with its rows for this; `StoreSchema` is `Codable`.
  static func storedSchema(of configuration: Configuration) throws -> StoreSchema?

  /// A place for a store that nobody else knows, where there is nothing; what was left there by a
  /// process that was killed is removed.
  ///
  /// - Parameters:
  ///   - configuration: The store that is migrated.
  ///   - number: A number that tells places of one migration apart.
  /// - Returns: The configuration of the place, without a schema.
  /// - Throws: What the system refuses.
  static func emptyPlace(
    for configuration: Configuration,
    number: Int
  ) throws -> Configuration

  /// Puts the store of a place in the place of another, at once and on the medium.
  ///
  /// - Throws: What the system refuses; the store is then as it was.
  static func replace(_ configuration: Configuration, by place: Configuration) throws

  /// Removes the store of a place, as far as the system lets it.
  static func remove(_ place: Configuration)
}
