import JSONFileStore
import OpenSwiftData

extension ImportedRows {
  /// Checks for missing values, references to missing rows, and ends that disagree.
  mutating func check() {
    for row in rows {
      let given = Dictionary(firstOf: row.content.values.map { ($0.index, $0.value) })
      for (index, property) in row.content.entity.properties.enumerated() {
        check(given[index], of: property, in: row)
      }
    }
  }

  private mutating func check(
    _ value: StoreValue?,
    of property: StoreProperty,
    in row: Row
  ) {
    switch value {
    case let value? where !value.isNull:
      guard property.relationship != nil else { return }
      let keys = value.identifiers.compactMap(\.integerKey)
      for key in keys { checkReference(key, property, row) }
      if Set(keys).count < keys.count {
        note(row.line, "\(row.name) refers to an object twice in '\(property.name)'")
      }
    default:
      // A value of a Codable type can be null.
      let mayLack =
        property.isOptional || property.isToMany || property.attributeType == .codable
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
    let value = row.content.values.first { $0.index == index }?.value
    return value?.identifiers.contains { $0.integerKey == key } ?? false
  }
}
