/// New records of one entity, whose values a store takes straight from the objects that have them.
///
/// This spares a save the snapshots of ``StoreChanges/inserted``. Only records go this way that are
/// the same either way: their attributes are of types that are written without code of the program,
/// and their to-one relationships lead to objects, whose keys the store works out.
public protocol RecordSource {
  /// The entity of the records.
  var entityName: String { get }
  /// How many there are.
  var count: Int { get }
  /// Writes all values of a record.
  func write(_ position: Int, to writer: RowWriter)
}

/// Changes of the same attributes of stored records of one entity, taken from their objects likewise
/// in place of ``StoreChanges/updated``.
public protocol UpdateSource: RecordSource {
  /// The properties that change, by rising index.
  var properties: [Int] { get }
  /// The key of each record's row.
  var keys: [Int64] { get }
}

/// What a save asks of a store besides its ``StoreChanges``, for ``RecordStore/apply(_:_:)``.
public struct ChangeSources {
  /// New records.
  public var inserted: [any RecordSource]
  /// The number of each new record's temporary identifier, source by source; empty where nothing that
  /// is saved refers to any of them.
  public var numbers: [Int64]
  /// Changed records.
  public var updated: [any UpdateSource]

  /// A Boolean value that indicates whether there are no sources.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty }

  /// Creates the sources of a save, none by default.
  public init(
    inserted: [any RecordSource] = [],
    numbers: [Int64] = [],
    updated: [any UpdateSource] = []
  ) {
    self.inserted = inserted
    self.numbers = numbers
    self.updated = updated
  }
}
