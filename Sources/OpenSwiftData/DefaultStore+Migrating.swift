import ModelLayer
import SQLiteStore

extension DefaultStore: MigratableStore {
  public static func beginMigration(
    of configuration: ModelConfiguration
  ) throws -> (any StoreMigration)? {
    try SQLiteStore.beginMigration(of: configuration.sqlite)
  }
}

extension ModelConfiguration {
  /// The configuration of the SQLite store behind the one that this describes.
  var sqlite: SQLiteStoreConfiguration {
    var inner: SQLiteStoreConfiguration =
      isStoredInMemoryOnly
      ? .inMemory(name: name, schema: schema)
      : SQLiteStoreConfiguration(name, schema: schema, url: url, allowsSave: allowsSave)
    inner.history = history
    return inner
  }
}
