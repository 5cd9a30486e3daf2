import SQLTranslation
import StoreProtocol

/// Updates the indexes of words for the rows that a batch writes.
///
/// An inserted row is indexed at once. For a row that is changed or removed, the string before the
/// first change is kept. At the end of the batch the index entry is replaced once, for any number
/// of changes.
final class SearchWriter {
  /// The indexed strings of the rows that were changed, by their keys.
  private struct Changed {
    let index: SearchIndexMap
    var texts: [Int64: String?] = [:]
  }

  private let connection: Connection
  private var changed: [String: Changed] = [:]

  init(on connection: Connection) {
    self.connection = connection
  }

  /// Indexes the string of a row that was inserted.
  func insert(_ text: String, _ key: Int64, into index: SearchIndexMap) throws {
    try write(text, key, by: index.insertion)
  }

  /// Keeps the string of a row that is about to be changed or removed.
  func note(_ key: Int64, _ index: SearchIndexMap) throws {
    guard changed[index.name]?.texts[key] == nil else { return }
    let text = try text(of: key, index)
    changed[index.name, default: Changed(index: index)].texts.updateValue(text, forKey: key)
  }

  /// Keeps the strings of a row of which some columns are about to be changed.
  func note(_ key: Int64, _ indexes: [SearchIndexMap], _ columns: [ColumnMap]) throws {
    for index in indexes where columns.contains(index.column) { try note(key, index) }
  }

  /// Updates the indexes to the current content of the changed rows.
  func updateIndexes() throws {
    for (_, entry) in changed {
      for (key, before) in entry.texts.sorted(by: { $0.key < $1.key }) {
        let after = try text(of: key, entry.index)
        if let before, let after, before.utf8.elementsEqual(after.utf8) { continue }
        if let before { try write(before, key, by: entry.index.deletion) }
        if let after { try write(after, key, by: entry.index.insertion) }
      }
    }
    changed = [:]
  }

  private func text(of key: Int64, _ index: SearchIndexMap) throws -> String? {
    try connection.first(index.rowText, .integer(key)) {
      $0.storage(at: 0) == .text ? $0.text(at: 0) : nil
    }
  }

  private func write(_ text: String, _ key: Int64, by sql: String) throws {
    let words = FoldedWords(text)
    if !words.isEmpty { try connection.run(sql, .integer(key), .text(words.text)) }
  }
}
