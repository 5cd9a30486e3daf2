/// A reader of bytes from outside, with what must hold for whatever it is given.
enum FuzzTarget: String, CaseIterable {
  /// The scanner of JSON alone.
  case json
  /// A document of the JSON store, opened, read, saved to and opened again.
  case document
  /// The rows of one entity in a document that is right otherwise.
  case rows
  /// The records of a journal, with right checksums.
  case records
  /// The bytes of a journal.
  case journal
  /// A file of comma-separated values.
  case csv
  /// Structured values in columns of SQLite.
  case columns
  /// Whatever cells of a SQLite database can hold, in rows and in the store's own table.
  case cells
  /// The URLs of stores.
  case storeURL
  /// The schema that a store keeps.
  case schema
  /// Coded snapshots.
  case snapshot
  /// Coded identifiers.
  case identifier
  /// Small texts: references to files, dates, numbers, names, lists of keys.
  case texts
  /// Words that are searched for, and texts that they are looked for in.
  case search
  /// Compressed data, as stores of Core Data keep their model.
  case inflate
  /// Binary property lists and keyed archives.
  case archive
  /// Archives and sources of managed object models.
  case model
  /// Files of Core Data.
  case coreData
  /// Binary fields of PostgreSQL.
  case fields
  /// The URLs of PostgreSQL servers.
  case serverURL

  /// Reads an input.
  ///
  /// - Throws: ``FuzzFailure`` when it was read, and wrongly. Refusals are no errors here.
  func run(_ bytes: [UInt8]) throws {
    switch self {
    case .json: try JSONTargets.scan(bytes)
    case .document: try DocumentTargets.document(bytes)
    case .rows: try DocumentTargets.rows(bytes)
    case .records: try DocumentTargets.records(bytes)
    case .journal: try DocumentTargets.journal(bytes)
    case .csv: try CSVTarget.read(bytes)
    case .columns: try ColumnTarget.read(bytes)
    case .cells: try CellTarget.read(bytes)
    case .storeURL: try TextTargets.storeURL(bytes)
    case .schema: try CodedTargets.schema(bytes)
    case .snapshot: try CodedTargets.snapshot(bytes)
    case .identifier: try CodedTargets.identifier(bytes)
    case .texts: try TextTargets.texts(bytes)
    case .search: try TextTargets.search(bytes)
    case .inflate: try CoreDataTargets.inflate(bytes)
    case .archive: try CoreDataTargets.archive(bytes)
    case .model: try CoreDataTargets.model(bytes)
    case .coreData: try CoreDataTargets.file(bytes)
    case .fields: try PostgreSQLTargets.fields(bytes)
    case .serverURL: try PostgreSQLTargets.serverURL(bytes)
    }
  }

  /// Inputs that are right, to begin with.
  func seeds() throws -> [[UInt8]] {
    switch self {
    case .json: JSONTargets.seeds
    case .document: [try FuzzSample.document()]
    case .rows: [try FuzzSample.rows(), Array("[]".utf8)]
    case .records: [try FuzzSample.records()]
    case .journal: [try FuzzSample.journal()]
    case .csv: CSVTarget.seeds
    case .columns: ColumnTarget.seeds
    case .cells: CellTarget.seeds
    case .storeURL: TextTargets.urlSeeds
    case .schema: [try CodedTargets.schemaSeed()]
    case .snapshot: [try CodedTargets.snapshotSeed()]
    case .identifier: [try CodedTargets.identifierSeed()]
    case .texts: TextTargets.textSeeds
    case .search: TextTargets.searchSeeds
    case .inflate: CoreDataTargets.compressedSeeds
    case .archive: CoreDataTargets.archiveSeeds
    case .model: CoreDataTargets.modelSeeds
    case .coreData: [try CoreDataTargets.fileSeed()]
    case .fields: PostgreSQLTargets.fieldSeeds
    case .serverURL: PostgreSQLTargets.urlSeeds
    }
  }
}

/// Something that was read wrongly, or an error that has no type of ours.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Fails unless a condition holds.
  static func unless(
    _ condition: @autoclosure () throws -> Bool,
    _ description: @autoclosure () -> String
  ) throws {
    guard try condition() else { throw FuzzFailure(description()) }
  }
}
