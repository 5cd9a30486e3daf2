import Foundation
import StoreProtocol

extension SQLiteStore: MaintainableStore {
  /// Looks for damage in all that the store holds, and changes nothing.
  ///
  /// SQLite looks at its pages and indices; then each row is read, value by value, those in files of
  /// their own too, and each reference is followed. Files that no row names are no damage.
  ///
  /// - Returns: What is wrong, the first thousand problems of many.
  /// - Throws: ``DataStoreError/schemaMismatch`` when another process has changed the schema since
  ///   the store was opened, ``DataStoreError/io`` when the system refuses to read.
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

  /// Writes the database anew without the room that deleted rows left, folds the log into it, and
  /// removes the files of values that no row names.
  ///
  /// Others may read meanwhile; their saves wait. The database that is built stands in memory until
  /// it is written. A read that is still on an older state keeps the log until a later save.
  ///
  /// - Throws: ``DataStoreError/storeReadOnly``, ``DataStoreError/storeBusy``, or
  ///   ``DataStoreError/notSaved`` when the system refuses, as where the disk is full; the rows are
  ///   then as they were.
  /// - Complexity: O(*n*) in the size of the store.
  public func compact() throws {
    try database.compact(check: checkSchema) { connection in
      guard let files = connection.options.files else { return }
      try FileSweeping.sweep(files, catalog.map, on: connection)
    }
  }

  /// Writes a copy of the store, as it is at one moment, to a place where there is nothing.
  ///
  /// The copy is a database with a folder `NAME.files` where values lie in files of their own, open
  /// to their owner alone. A store in memory gets to the disk in this way.
  ///
  /// - Parameter url: The file that is to become the copy, in a folder that is there.
  /// - Throws: ``DataStoreError/io`` where something is there already or the system refuses,
  ///   ``DataStoreError/storeDamaged`` where the store is not whole; then nothing is left there.
  /// - Complexity: O(*n*) in the size of the store.
  public func backup(to url: URL) throws {
    guard url.isFileURL else {
      throw DataStoreError(
        .invalidConfiguration,
        "a copy of a SQLite store needs a file URL, not \(url.scheme ?? "none")"
      )
    }
    let target = try StoreErrors.translating(.copying, file: url.path) {
      try DatabaseFile(
        path: url.path,
        makesFolder: false,
        patience: 0,
        access: configuration.access
      )
    }
    try database.readSnapshot { connection in
      try checkSchema(on: connection)
      try StoreBackup(target: target).make(from: connection, catalog.map)
    }
  }
}
