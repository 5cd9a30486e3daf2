import SQLTranslation
import StoreProtocol

/// Creates, fills and removes the indexes of words when a store is opened.
struct SearchIndexing {
  let connection: Connection

  /// Whether the library has FTS5; without it there are no indexes of words.
  private func isAvailable() throws -> Bool {
    try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") != nil
  }

  /// Returns the names of the indexes that the file has and the library can use.
  func live(among indexes: [SearchIndexMap]) throws -> Set<String> {
    guard !indexes.isEmpty, try isAvailable() else { return [] }
    return try present(among: indexes)
  }

  /// Returns the names of the indexes that the file has.
  private func present(among indexes: [SearchIndexMap]) throws -> Set<String> {
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return Set(try indexes.map(\.name).filter { try connection.hasRow(sql, .text($0)) })
  }

  /// Whether the file lacks indexes that a schema requires.
  func isDue(_ map: SchemaMap) throws -> Bool {
    guard !map.searchIndexes.isEmpty else { return false }
    let present = try present(among: map.searchIndexes)
    guard try isAvailable() else {
      if present.isEmpty { return false }
      throw missingModule()
    }
    return present.count < map.searchIndexes.count
  }

  /// Creates and removes indexes to match a schema, in the open transaction.
  ///
  /// - Parameters:
  ///   - map: The new schema.
  ///   - old: The schema that the file had, or `nil` for a new file.
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the file has indexes and the library lacks
  ///   FTS5: they would become outdated.
  func update(to map: SchemaMap, from old: SchemaMap?) throws {
    let before = try present(among: old?.searchIndexes ?? [])
    guard try isAvailable() else {
      if before.isEmpty { return }
      throw missingModule()
    }
    let wanted = Set(map.searchIndexes.map(\.name))
    for index in old?.searchIndexes ?? [] where before.contains(index.name) {
      if !wanted.contains(index.name) { try connection.execute(index.removal) }
    }
    for index in map.searchIndexes where !before.contains(index.name) {
      try connection.execute(index.creation)
      if old != nil { try fill(index) }
    }
  }

  /// Rebuilds an index from the current strings of the rows, in the open transaction.
  func refill(_ index: SearchIndexMap) throws {
    try connection.execute(index.clearing)
    try fill(index)
  }

  private func fill(_ index: SearchIndexMap) throws {
    try connection.withStatement(index.allTexts) { rows in
      try connection.withStatement(index.insertion) { insertion in
        while try rows.step() {
          guard rows.storage(at: 1) == .text, let text = rows.text(at: 1) else { continue }
          let words = FoldedWords(text)
          if words.isEmpty { continue }
          try insertion.bind(rows.integer(at: 0), at: 1)
          try insertion.bind(words.text, at: 2)
          try insertion.run()
        }
      }
    }
  }

  private func missingModule() -> DataStoreError {
    DataStoreError(
      .unsupportedFeature,
      "the store has full-text indexes, which this SQLite cannot update; use a SQLite with FTS5, "
        + "or open the store read-only"
    )
  }
}
