import StoreProtocol

/// Formats requests and results as one line each, truncated if they are long.
enum TraceText {
  private static let length = 240
  private static let count = 4

  static func batch(_ changes: StoreChanges) -> String {
    var parts = changes.bulkChanges.prefix(count).map { "bulk \($0)" }
    parts += list(changes.inserted) { "+\($0.persistentIdentifier) {\(values(of: $0))}" }
    parts += list(changes.updated) { "~\($0.identifier) {\(values(of: $0))}" }
    parts += list(changes.deleted) { "-\($0)" }
    if !changes.expectedVersions.isEmpty {
      parts.append("expecting versions of \(changes.expectedVersions.count) rows")
    }
    parts += list(changes.protectedReferences.sorted { "\($0)" < "\($1)" }) {
      "protecting \($0.entity).\($0.property)"
    }
    return cut("apply " + (parts.isEmpty ? "nothing" : parts.joined(separator: ", ")))
  }

  static func result(_ result: StoreChangesResult) -> String {
    let rows = list(result.remapped.values.sorted()) { "\($0)" }
    return cut("\(rows.joined(separator: ", ")) version \(result.version)")
  }

  static func query(_ word: String, _ query: StoreQuery) -> String {
    var query = query
    query.filter = query.filter.map(shortened)
    return cut("\(word) \(query)")
  }

  static func selection(_ selection: StoreSelection) -> String {
    var selection = selection
    selection.query.filter = selection.query.filter.map(shortened)
    return cut("select \(selection)")
  }

  /// Returns an expression with long lists of constants shortened, which would take long to print.
  private static func shortened(_ expression: QueryExpression) -> QueryExpression {
    switch expression {
    case .constant(.identifiers(let list)): .constant(.identifiers(Array(list.prefix(count))))
    case .constant(.array(let list)): .constant(.array(Array(list.prefix(count))))
    default: expression.replacingChildren(expression.children.map(shortened))
    }
  }

  static func records(_ records: [DefaultSnapshot]) -> String {
    let rows = list(records) { "\($0.persistentIdentifier) {\(values(of: $0))}" }
    return cut("\(records.count) rows: \(rows.joined(separator: ", "))")
  }

  static func identifiers(_ rows: [PersistentIdentifier]) -> String {
    cut("\(rows.count) rows: \(list(rows) { "\($0)" }.joined(separator: ", "))")
  }

  static func transactions(_ found: [StoreTransaction]) -> String {
    let parts = list(found) { one in
      "\(one.number): \(list(one.changes) { "\($0.kind) \($0.identifier)" })"
    }
    return cut("\(found.count) transactions: \(parts.joined(separator: ", "))")
  }

  /// Returns a string of bounded length: a value of a megabyte does not help a reader.
  static func cut(_ text: String) -> String {
    let plain = text.replacing("StoreProtocol.", with: "").replacing("StoreValue.", with: ".")
    return plain.utf8.count > length ? plain.prefix(length) + "…" : plain
  }

  private static func list<Element>(
    _ elements: some Collection<Element>,
    _ text: (Element) -> String
  ) -> [String] {
    let rest = elements.count - count
    return elements.prefix(count).map(text) + (rest > 0 ? ["\(rest) more"] : [])
  }

  private static func values(of record: DefaultSnapshot) -> String {
    let pairs = zip(record.names.names, record.values).filter { pair in
      !pair.1.isNull && pair.1 != .identifiers([])
    }
    return pairs.prefix(count).map { "\($0): \(short($1))" }.joined(separator: ", ")
  }

  private static func values(of update: StoreUpdate) -> String {
    let entity = try? Sample.entity(update.identifier.entityName)
    return update.changes.prefix(count).map { change in
      let isValid = entity?.properties.indices.contains(change.index) == true
      let name = isValid ? entity?.properties[change.index].name : nil
      return "\(name ?? "property \(change.index)"): \(short(change.value))"
    }.joined(separator: ", ")
  }

  private static func short(_ value: StoreValue) -> String {
    switch value {
    case .string(let text): cut("\"\(text.prefix(40))\"")
    case .data(let data): "\(data.count) bytes"
    case .identifiers(let list): "\(list.count) rows"
    case .array(let list) where list.count > 8: "\(list.count) elements"
    default: cut("\(value)")
    }
  }
}
