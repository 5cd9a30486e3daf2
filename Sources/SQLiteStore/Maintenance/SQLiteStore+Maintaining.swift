import Foundation
import StoreProtocol

extension SQLiteStore: MaintainableStore {
  /// Searches the whole store for damage, without changing anything.
  ///
  /// SQLite checks its pages and indexes. Then each row is read, value by value, including values
  /// in files of their own, and each reference is followed. Files to which no row refers are no
  /// damage.
  ///
  /// - Returns: The problems, at most the first thousand.
  /// - Throws: ``DataStoreError/schemaMismatch`` if another process has changed the schema since
  ///   the store was opened, ``DataStoreError/io`` if the system refuses to read.
  /// - Complexity: O(*n*) in the size of the store.
  public func verify() throws -> [StoreProblem] {
    try database.readSnapshot {
      try Verification(
        catalog: catalog,
        connection: $0,
        fingerprint: fingerprint,
        file: configuration.file?.path
      )
      .problems()
    }
  }

  /// Rebuilds the database without the space of deleted rows, checkpoints the log, and removes the
  /// value files to which no row refers.
  ///
  /// Other connections may read meanwhile; their saves wait. The rebuilt database is in memory
  /// until it is written. A read that is still on an older state keeps the log until a later save.
  ///
  /// - Throws: ``DataStoreError/storeReadOnly``, ``DataStoreError/storeBusy``, or
  ///   ``DataStoreError/notSaved`` if the system refuses, such as when the disk is full; the rows
  ///   are then unchanged.
  /// - Complexity: O(*n*) in the size of the store.
  public func compact() throws {
    try database.compact(check: checkSchema) { connection in
      guard let files = connection.options.files else { return }
      try FileColumns.sweep(files, catalog.map, on: connection)
    }
  }

  /// Writes a copy of the store, as of one moment, to a path where no file exists.
  ///
  /// The copy is a database, with a folder `NAME.files` if values are in files of their own. Only
  /// its owner can access it. A store in memory can be written to disk in this way.
  ///
  /// - Parameter url: The file URL of the copy, in an existing folder.
  /// - Throws: ``DataStoreError/io`` if a file exists there already or the system refuses,
  ///   ``DataStoreError/storeDamaged`` if the store is damaged; then nothing is left there.
  /// - Complexity: O(*n*) in the size of the store.
  public func backup(to url: URL) throws {
    let backup = try StoreBackup(to: url, access: configuration.access)
    try database.readSnapshot { connection in
      try checkSchema(on: connection)
      try backup.make(from: connection, catalog.map)
    }
  }
}
