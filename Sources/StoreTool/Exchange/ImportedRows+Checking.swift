import JSONFileStore
import OpenSwiftData

extension ImportedRows {
  /// Checks for missing values, references to missing rows, and ends that disagree.
  mutating func check() {
    for row in rows {
      let given = Dictionary(
        row.content.values.map { ($0.index, $0.value) },
        uniquingKeysWith: { first, _ in first }
      )
      for (index, property) in row.content.entity.properties.enumerated() {
        check(given[index], of: property, in: row)
      }
    }
  }

  private mutating func check(
    _ content: RowText.Content?,
    of property: StoreProperty,
    in row: Row
  ) {
    switch content {
    case .key(let key):
      checkReference(key, property, row)
    case .keys(let keys):
      for key in keys { checkReference(key, property, row) }
      if Set(keys).count < keys.count {
        note(row.line, "\(row.name) refers to an object twice in '\(property.name)'")
      }
    case .value(let value) where !value.isNull:
      break
    case .value, nil:
      // A value of a Codable type can be null.
      let mayLack =
        property.isOptional || property.isToMany || property.isEphemeral
        || property.attributeType == .codable
      if !mayLack { note(row.line, "\(row.name) lacks '\(property.name)', which is required") }
    }
  }

  private mutating func checkReference(_ key: Int64, _ property: StoreProperty, _ row: Row) {
    guard let relationship = property.relationship else { return }
    guard let other = self.row(key, of: relationship) else {
      let destination = "\(relationship.destination)/\(key)"
      note(
        row.line,
        "'\(property.name)' of \(row.name) refers to \(destination), which no line has"
      )
      return
    }
    guard let inverse = relationship.inverse, property.isToMany || relationship.inverseIsToOne
    else { return }
    if !Self.names(row.content.key, in: other, inverse) {
      note(
        row.line,
        "\(row.name) has \(other.name) in '\(property.name)', and '\(inverse)' of \(other.name)"
          + " (line \(other.line)) does not refer back"
      )
    }
  }

  /// Returns whether a relationship of a row refers to a key.
  private static func names(_ key: Int64, in row: Row, _ property: String) -> Bool {
    guard let index = row.content.entity.indexByName[property] else { return false }
    switch row.content.values.first(where: { $0.index == index })?.value {
    case .key(let found): return found == key
    case .keys(let list): return list.contains(key)
    default: return false
    }
  }
}
