import StoreProtocol

extension StoreRequest: CustomStringConvertible {
  /// A description without any value of a row: `read Trip where $0.name == … limit 20`.
  ///
  /// It has the condition and the order of all requests with these, also of bulk changes and the
  /// history. In those of groups, `$0.1` is the column at index 1.
  public var description: String {
    let words: [String] =
      switch self {
      case .fetch(let query), .read(let query), .identifiers(let query), .count(let query):
        query.conditionWords + query.sort.words + query.windowWords
      case .select(let selection): selection.words
      case .members(let property, let entity, let owners):
        ["\(entity).\(property)", "of \(owners.count)"]
      case .save(let changes): changes.words
      case .history(let query): query.words
      case .outcome, .erase: []
      }
    return ([kind.rawValue] + words).joined(separator: " ")
  }
}

extension StoreQuery {
  fileprivate var conditionWords: [String] {
    if let identifiers { return [entity, "by \(identifiers.count) identifiers"] }
    return [entity] + (filter.map { ["where \($0.descriptionWithoutValues)"] } ?? [])
  }

  fileprivate var windowWords: [String] {
    (offset > 0 ? ["offset \(offset)"] : []) + (limit.map { ["limit \($0)"] } ?? [])
  }
}

extension [QuerySort] {
  fileprivate var words: [String] {
    let terms = map { $0.value.descriptionWithoutValues + ($0.isReversed ? " reversed" : "") }
    return terms.isEmpty ? [] : ["sorted by \(terms.joined(separator: ", "))"]
  }
}

extension StoreSelection {
  fileprivate var words: [String] {
    var words = query.conditionWords
    if let groups {
      let keys = groups.map(\.descriptionWithoutValues).joined(separator: ", ")
      words.append(keys.isEmpty ? "in one group" : "grouped by \(keys)")
    }
    words.append("columns \(columns.map(text).joined(separator: ", "))")
    if let having { words.append("having \(having.descriptionWithoutValues)") }
    return words + (query.sort + order).words + query.windowWords
  }

  private func text(of column: Column) -> String {
    switch column {
    case .value(let value): value.descriptionWithoutValues
    case .key(let index): "key \(index)"
    case .count: "count"
    case .aggregate(let function, let value, _):
      "\(function.rawValue)(\(value.descriptionWithoutValues))"
    }
  }
}

extension StoreChanges {
  fileprivate var words: [String] {
    var words = bulkChanges.map(\.words)
    let inserted = insertions.reduce(0) { $0 + $1.count }
    let updated = updates.reduce(0) { $0 + $1.count }
    if inserted > 0 { words.append("inserted \(inserted)") }
    if updated > 0 { words.append("updated \(updated)") }
    if !deleted.isEmpty { words.append("deleted \(deleted.count)") }
    return words
  }
}

extension BulkChange {
  fileprivate var words: String {
    var words = query.conditionWords
    switch self {
    case .delete: words.insert("bulk delete", at: 0)
    case .update(_, let assignments):
      words.insert("bulk update", at: 0)
      let values = assignments.map { "\($0.property) to \($0.value.descriptionWithoutValues)" }
      words.append("set \(values.joined(separator: ", "))")
    }
    return words.joined(separator: " ")
  }
}

extension StoreHistoryQuery {
  fileprivate var words: [String] {
    var words = filter.map { ["where \($0.textWithoutValues)"] } ?? []
    let terms = order.map { "\($0.column)\($0.isReversed ? " reversed" : "")" }
    if !terms.isEmpty { words.append("sorted by \(terms.joined(separator: ", "))") }
    return words + (limit.map { ["limit \($0)"] } ?? [])
  }
}

extension StoreHistoryFilter {
  fileprivate var textWithoutValues: String {
    switch self {
    case .constant(let holds): "\(holds)"
    case .number(let comparison, _): "number \(comparison.symbol) …"
    case .numbers(let numbers): "number in \(numbers.count)"
    case .timestamp(let comparison, _): "timestamp \(comparison.symbol) …"
    case .text(let column, let values): "\(column) in \(values.count)"
    case .changes(let entities): "changes of \(entities.sorted().joined(separator: " or "))"
    case .not(let part): "!(\(part.textWithoutValues))"
    case .all(let parts): Self.text(of: parts, joined: "&&")
    case .any(let parts): Self.text(of: parts, joined: "||")
    }
  }

  private static func text(of parts: [Self], joined word: String) -> String {
    "(\(parts.map(\.textWithoutValues).joined(separator: " \(word) ")))"
  }
}
