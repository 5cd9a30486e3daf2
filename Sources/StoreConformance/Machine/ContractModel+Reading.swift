import QueryEvaluation
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
    return MachineText.row(row.identifier, row.entity) { index in
      let property = row.entity.properties[index]
      return isLeftOut(property) ? .null : row.values[property.name]
    }
  }

  /// Returns the rows of a query.
  func evaluate(_ query: StoreQuery) throws -> [Int64] {
    try evaluator.evaluate(query, over: snapshots).compactMap(\.identifier.integerKey)
  }

  /// Returns the rows of a selection.
  func evaluate(_ selection: StoreSelection) throws -> [[StoreValue]] {
    var result: [[StoreValue]] = []
    try evaluator.evaluate(selection, over: snapshots) { result.append($0) }
    return result
  }

  private var snapshots: [SnapshotRow] {
    rows.sorted { $0.key < $1.key }.map { snapshot($0.value) }
  }

  private func snapshot(_ row: Row) -> SnapshotRow {
    let values = row.entity.properties.map { row.values[$0.name] ?? .null }
    let record = DefaultSnapshot(
      persistentIdentifier: row.identifier,
      entity: row.entity,
      values: values
    )
    return SnapshotRow(record, row.entity)
  }

  private var evaluator: QueryEvaluator<SnapshotRow> {
    QueryEvaluator(
      schema: schema,
      row: { one in one.integerKey.flatMap { rows[$0] }.map(snapshot) },
      members: { row, index in
        members(row.entity.properties[index], of: row.identifier.integerKey ?? 0)
      }
    )
  }
}

/// Writes what a store and the model show, in the same words.
enum MachineText {
  /// Returns a row with the values of all properties, except for lists that the related rows determine.
  static func row(
    _ identifier: PersistentIdentifier,
    _ entity: StoreEntity,
    _ value: (Int) throws -> StoreValue?
  ) rethrows -> String {
    let values = try entity.properties.indices.compactMap { index -> String? in
      let property = entity.properties[index]
      guard !property.isDerivedToMany else { return nil }
      guard let value = try value(index) else { return "\(property.name): missing" }
      let isNone = value.isNull || value == .identifiers([])
      return isNone ? nil : "\(property.name): \(SwiftSource.text(value))"
    }
    return "\(identifier) [\(values.joined(separator: ", "))]"
  }

  /// Returns a list of rows.
  static func list(_ rows: [PersistentIdentifier]) -> String {
    rows.map(\.description).joined(separator: " ")
  }
}
