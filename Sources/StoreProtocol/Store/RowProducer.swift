/// New records of one entity, whose values a store reads directly from the objects.
///
/// This saves the snapshots of ``StoreChanges/inserted``. It is used only for records with the same
/// result in both ways: their attributes have types that are written without code of the program,
/// and their to-one relationships refer to objects, whose keys the store resolves.
///
/// The objects belong to a context that waits for the store. A store may read the values on any
/// thread and several times, but only before ``RecordStore/apply(_:)`` returns.
public protocol RowProducer: Sendable {
  /// The entity of the records.
  var entityName: String { get }
  /// The number of records.
  var count: Int { get }
  /// Writes all values of a record to a writer.
  func write(_ position: Int, to writer: RowWriter)
}

/// Changes of the same attributes of stored records of one entity, read directly from their
/// objects.
///
/// They replace records of ``StoreChanges/updated``.
public protocol UpdateProducer: RowProducer {
  /// The indices of the changed properties, in ascending order.
  var properties: [Int] { get }
  /// The key of each record's row.
  var keys: [Int64] { get }
}

/// The records of a save that the store reads directly from the objects, for
/// ``StoreChanges/sources``.
public struct RowProducers: Sendable {
  /// New records, which get consecutive keys, source by source.
  ///
  /// ``StoreChangesResult/firstKeys`` contains the first key of each source.
  public var inserted: [any RowProducer]
  /// The number of each new record's temporary identifier, source by source; empty if nothing in
  /// the save refers to any of them.
  public var numbers: [Int64]
  /// Changed records.
  public var updated: [any UpdateProducer]

  /// Whether there are no sources.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty }

  /// Creates the sources of a save, none by default.
  public init(
    inserted: [any RowProducer] = [],
    numbers: [Int64] = [],
    updated: [any UpdateProducer] = []
  ) {
    self.inserted = inserted
    self.numbers = numbers
    self.updated = updated
  }
}
