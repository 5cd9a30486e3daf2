/// The versions of a store's file, and the names of the store's own tables.
enum FileFormat {
  /// The application ID in the file header that marks a file of this engine: `OSDS`.
  static let applicationID: Int64 = 0x4F53_4453

  /// The current version; a store with a greater one is refused.
  static let current: Int64 = 5

  /// The first version with a history.
  static let firstWithHistory: Int64 = 2

  /// The first version in whose indexes of constraints no two NaN are equal.
  static let firstWithExactConstraints: Int64 = 3

  /// The first version whose history has the identifiers of saves, and named readers.
  static let firstWithSaves: Int64 = 4

  /// The first version without an index on the columns of a constraint.
  static let firstWithoutServedIndexes: Int64 = 5

  static let metadataTable = "OpenSwiftData"
  static let historyTable = "_history"
  static let readerTable = "_readers"

  /// The names of the store's own tables, which no entity can have.
  static let ownTables = [metadataTable, historyTable, readerTable]
}
