import SQLTranslation
import StoreProtocol

/// The index of the words of a column: an FTS5 table beside the column's table.
///
/// It holds, under the key of each row, the words of the row's text in the form in which searches
/// compare them (`FoldedWords`), so that SQLite only has to split them at their spaces: the
/// tokenizer `ascii` takes all that is not ASCII for parts of words. The texts themselves are not
/// kept a second time (`content=''`).
extension SearchIndexMap {
  /// Maps the index of a column in a table, whose name and key are given as SQL text too.
  init(of column: ColumnMap, in table: String, sql tableSQL: String, key: String) {
    let name = "words \(table)(\(column.name))"
    self.init(
      column: column,
      name: name,
      sql: SQLIdentifier.quotedComposite(name),
      tableSQL: tableSQL,
      key: key
    )
  }

  /// The column of the words; its name tells by which rules they were found.
  private static let words = "words\(FoldedWords.version)"

  /// The statement that makes the index, which SQLite keeps word for word.
  var creation: String {
    "CREATE VIRTUAL TABLE \(sql) USING fts5(\(Self.words), content='', columnsize=0, "
      + "tokenize='ascii')"
  }

  /// The tables in which SQLite keeps the index.
  var innerTables: [String] { ["data", "idx", "config"].map { "\(name)_\($0)" } }

  /// The statement that removes the index.
  var removal: String { "DROP TABLE \(sql)" }

  /// Adds a row: its key and its words.
  var insertion: String { "INSERT INTO \(sql)(rowid, \(Self.words)) VALUES (?, ?)" }

  /// Takes a row out: its key and the words under which it was added.
  var deletion: String {
    "INSERT INTO \(sql)(\(sql), rowid, \(Self.words)) VALUES ('delete', ?, ?)"
  }

  /// Takes all rows out.
  var clearing: String { "INSERT INTO \(sql)(\(sql)) VALUES ('delete-all')" }

  /// The text of one row.
  var rowText: String { "SELECT \(column.sql) FROM \(tableSQL) WHERE \(key) = ?" }

  /// The keys and texts of all rows that have one.
  var allTexts: String {
    "SELECT \(key), \(column.sql) FROM \(tableSQL) WHERE \(column.sql) IS NOT NULL"
  }
}

extension SchemaMap {
  /// The indexes of words that the schema asks for.
  var searchIndexes: [SearchIndexMap] { tables.flatMap(\.searchIndexes) }

  /// Those of them that the file has and the library can use.
  var liveSearchIndexes: [SearchIndexMap] { tables.flatMap(\.liveSearchIndexes) }
}

extension StoreProperty {
  /// Whether the declaration asks for an index of words, and there can be one.
  var isSearchedText: Bool {
    attributeType == .string && options.contains(Schema.Attribute.Option.fullText.name)
  }
}
