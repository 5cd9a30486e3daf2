import StoreProtocol

extension ContractModel {
  /// Returns the numbers of the rows of an entity and, if they count, of its subentities.
  func numbers(of entity: String, withSubentities: Bool = true) -> [Int64] {
    rows.filter { _, row in
      withSubentities
        ? schema.isEntity(row.entity.name, kindOf: entity) : row.entity.name == entity
    }.map(\.key).sorted()
  }

  /// Returns the related objects of a row.
  func members(_ property: StoreProperty, of owner: Int64) -> [PersistentIdentifier] {
    let listed = rows[owner]?.values[property.name]?.identifiers ?? []
    guard property.isDerivedToMany, let relationship = property.relationship,
      let inverse = relationship.inverse
    else { return listed }
    let own = numbers(of: relationship.destination).compactMap { rows[$0] }
      .filter { $0.values[inverse]?.identifiers.first?.integerKey == owner }.map(\.identifier)
    return listed.filter(own.contains) + own.filter { !listed.contains($0) }
  }

  /// Returns the row as text, without the values of some properties.
  func text(
    _ number: Int64,
    without isLeftOut: (StoreProperty) -> Bool = { _ in false }
  ) -> String {
    guard let row = rows[number] else { return "no row \(number)" }
    return MachineText.row(row.identifier, row.entity, row.version) { index in
      let property = row.entity.properties[index]
      return isLeftOut(property) ? .null : row.values[property.name]
    }
  }
}

/// Writes what a store and the model show, in the same words.
enum MachineText {
  /// Returns a row with the values of all properties, except for lists that the related rows determine.
  static func row(
    _ identifier: PersistentIdentifier,
    _ entity: StoreEntity,
    _ version: Int64,
    _ value: (Int) throws -> StoreValue?
  ) rethrows -> String {
    let values = try entity.properties.indices.compactMap { index -> String? in
      let property = entity.properties[index]
      guard !property.isDerivedToMany else { return nil }
      guard let value = try value(index) else { return "\(property.name): missing" }
      let isNone = value.isNull || value == .identifiers([])
      return isNone ? nil : "\(property.name): \(SwiftSource.text(value))"
    }
    return "\(identifier) [\(values.joined(separator: ", "))] of save \(version)"
  }

  /// Returns a list of rows.
  static func list(_ rows: [PersistentIdentifier]) -> String {
    rows.map(\.description).joined(separator: " ")
  }
}
