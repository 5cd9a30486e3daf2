import SQLTranslation
import StoreProtocol

/// The index of the words of a column: an FTS5 table beside the column's table.
///
/// It holds, under the key of each row, the words of the row's text in the form in which searches
/// compare them (`FoldedWords`), so that SQLite only has to split them at their spaces: the
/// tokenizer `ascii` takes all that is not ASCII for parts of words. The texts themselves are not
/// kept a second time (`content=''`).
extension SearchIndexMap {
  /// The column of the words; its name has the version of the rules by which they were found.
  private static let words = "words\(FoldedWords.version)"

  /// The statement that creates the index, which SQLite stores verbatim.
  var creation: String {
    "CREATE VIRTUAL TABLE \(sql) USING fts5(\(Self.words), content='', columnsize=0, "
      + "tokenize='ascii')"
  }

  /// The tables in which SQLite stores the index.
  var innerTables: [String] { ["data", "idx", "config"].map { "\(name)_\($0)" } }

  /// The statement that removes the index.
  var removal: String { "DROP TABLE \(sql)" }

  /// The statement that adds a row: its key and its words.
  var insertion: String { "INSERT INTO \(sql)(rowid, \(Self.words)) VALUES (?, ?)" }

  /// The statement that removes a row: its key and the words with which it was added.
  var deletion: String {
    "INSERT INTO \(sql)(\(sql), rowid, \(Self.words)) VALUES ('delete', ?, ?)"
  }

  /// The statement that removes all rows.
  var clearing: String { "INSERT INTO \(sql)(\(sql)) VALUES ('delete-all')" }

  /// The query for the string of one row.
  var rowText: String { "SELECT \(column.sql) FROM \(tableSQL) WHERE \(key) = ?" }

  /// The query for the keys and strings of all rows that have one.
  var allTexts: String {
    "SELECT \(key), \(column.sql) FROM \(tableSQL) WHERE \(column.sql) IS NOT NULL"
  }
}

extension SchemaMap {
  /// The indexes of words in the schema.
  var searchIndexes: [SearchIndexMap] { tables.flatMap(\.searchIndexes) }

  /// The indexes of words that the file has and the library can use.
  var liveSearchIndexes: [SearchIndexMap] { tables.flatMap(\.liveSearchIndexes) }
}

extension StoreProperty {
  /// Whether the declaration requests an index of words, and there can be one.
  var isSearchedString: Bool {
    attributeType == .string && options.contains(Schema.Attribute.Option.fullText.name)
  }
}
