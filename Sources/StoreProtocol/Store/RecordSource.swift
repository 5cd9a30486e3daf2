/// New records of one entity, whose values a store takes straight from the objects that have them.
///
/// This spares a save the snapshots of ``StoreChanges/inserted``. Only records go this way that are
/// the same either way: their attributes are of types that are written without code of the program,
/// and their to-one relationships lead to objects, whose keys the store works out.
package protocol RecordSource {
  /// The entity of the records.
  var entityName: String { get }
  /// How many there are.
  var count: Int { get }
  /// Writes all values of a record.
  func write(_ position: Int, to writer: RowWriter)
}

/// Changes of the same attributes of stored records of one entity, taken from their objects likewise
/// in place of ``StoreChanges/updated``.
package protocol UpdateSource: RecordSource {
  /// The properties that change, by rising index.
  var properties: [Int] { get }
  /// The key of each record's row.
  var keys: [Int64] { get }
}

/// What a save asks of a store besides its ``StoreChanges``.
package struct ChangeSources {
  /// New records.
  package var inserted: [any RecordSource]
  /// The number of each new record's temporary identifier, source by source; empty where nothing that
  /// is saved refers to any of them.
  package var numbers: [Int64]
  /// Changed records.
  package var updated: [any UpdateSource]

  /// Takes the sources of a save.
  package init(
    inserted: [any RecordSource] = [],
    numbers: [Int64] = [],
    updated: [any UpdateSource] = []
  ) {
    self.inserted = inserted
    self.numbers = numbers
    self.updated = updated
  }
}

/// A store that can take the values of records from where they are.
package protocol SourceTaking: RecordStore {
  /// Whether the store takes records of an entity that way.
  func takesSources(of entity: String) -> Bool

  /// Applies changes and then those of sources, all or nothing, as ``RecordStore/apply(_:)`` does.
  ///
  /// The values may be asked for several times. All new records get keys that follow each other,
  /// source by source; the first of each source stands in ``StoreChangesResult/firstKeys``.
  func apply(_ changes: StoreChanges, _ sources: ChangeSources) throws -> StoreChangesResult
}
