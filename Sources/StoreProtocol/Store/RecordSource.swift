/// New records of one entity, whose values a store takes straight from the objects that have them.
///
/// This spares a save the snapshots of ``StoreChanges/inserted``. Only records go this way that are
/// the same either way: of plain values without relationships, so that no other record of the save
/// refers to them and no code of the program runs while they are written.
package protocol RecordSource {
  /// The entity of the records.
  var entityName: String { get }
  /// How many there are.
  var count: Int { get }
  /// Writes all values of a record.
  func write(_ position: Int, to writer: RowWriter)
}

/// Changes of the same properties of stored records of one entity, taken from their objects likewise
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
  /// Changed records.
  package var updated: [any UpdateSource]

  /// Takes the sources of a save.
  package init(inserted: [any RecordSource] = [], updated: [any UpdateSource] = []) {
    self.inserted = inserted
    self.updated = updated
  }
}

/// A store that can take the values of records from where they are.
package protocol SourceTaking: RecordStore {
  /// Whether the store takes records of an entity that way.
  func takesSources(of entity: String) -> Bool

  /// Applies changes and then those of sources, all or nothing, as ``RecordStore/apply(_:)`` does.
  ///
  /// The values may be asked for several times. The rows of each source of new records get keys that
  /// follow each other; the first of each stands in ``StoreChangesResult/firstKeys``.
  func apply(_ changes: StoreChanges, _ sources: ChangeSources) throws -> StoreChangesResult
}
