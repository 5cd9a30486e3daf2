import SQLTranslation
import StoreProtocol

/// Keeps the indexes of words in step with the rows that a batch writes.
///
/// A row that is inserted is indexed at once. Of a row that is changed or removed the text before
/// the first change is noted; when the batch is done, what the index has of it is replaced by what
/// became of it, however many changes there were on the way.
final class SearchWriter {
  /// What the index has of the rows that were changed, by their keys.
  private struct Changed {
    let index: SearchIndexMap
    var texts: [Int64: String?] = [:]
  }

  private let connection: Connection
  private var changed: [String: Changed] = [:]

  init(on connection: Connection) {
    self.connection = connection
  }

  /// Indexes the text of a row that was inserted.
  func insert(_ value: StoreValue, _ key: Int64, into index: SearchIndexMap) throws {
    guard case .string(let text) = value else { return }
    try write(text, key, by: index.insertion)
  }

  /// Notes the text of a row that is about to be changed or removed.
  func note(_ key: Int64, _ index: SearchIndexMap) throws {
    guard changed[index.name]?.texts[key] == nil else { return }
    let text = try text(of: key, index)
    changed[index.name, default: Changed(index: index)].texts.updateValue(text, forKey: key)
  }

  /// Notes the texts of a row of which some columns are about to be changed.
  func note(_ key: Int64, _ indexes: [SearchIndexMap], _ columns: [ColumnMap]) throws {
    for index in indexes where columns.contains(index.column) { try note(key, index) }
  }

  /// Brings the indexes to what the changed rows are now.
  func settle() throws {
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
    try connection.withStatement(index.rowText) {
      try $0.bind(key, at: 1)
      guard try $0.step(), $0.storage(at: 0) == .text else { return nil }
      return $0.text(at: 0)
    }
  }

  private func write(_ text: String, _ key: Int64, by sql: String) throws {
    let words = FoldedWords(text)
    if words.isEmpty { return }
    try connection.withStatement(sql) {
      try $0.bind(key, at: 1)
      try $0.bind(words.text, at: 2)
      try $0.run()
    }
  }
}
