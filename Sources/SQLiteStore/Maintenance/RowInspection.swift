import SQLTranslation
import StoreProtocol

/// Checks rows one by one: keys, versions, and whether each value is valid for its property.
struct RowInspection {
  let catalog: Catalog
  let connection: Connection
  let counters: Counters

  /// Checks rows of a table.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - keys: The rows' keys, or `nil` for all rows.
  ///   - found: The list to which problems are added.
  /// - Throws: SQLite's error, if a row cannot be read at all.
  func inspect(_ table: TableMap, keys: [Int64]? = nil, into found: ProblemList) throws {
    let plan = try catalog.plan(of: table.name)
    let references = ReferenceReader(catalog: catalog, connection: connection)
    try connection.withStatement(keys == nil ? plan.selection : plan.selectionByKeys) {
      if let keys { try $0.bind(KeyList.encoded(keys), at: 1) }
      let reader = StatementRowReader($0, plan: plan, references: references)
      while !found.isFull, try $0.step() {
        do {
          try reader.move()
          try inspect($0, plan, reader, references, into: found)
        } catch let error as DataStoreError where error == .storeDamaged {
          let scope = try catalog.scope(of: table.name)
          let identifier = PersistentIdentifier(scope: scope, key: reader.key)
          found.note(StoreProblem(error, identifier: identifier))
        }
      }
    }
  }

  private func inspect(
    _ statement: Statement,
    _ plan: RowPlan,
    _ reader: StatementRowReader,
    _ references: ReferenceReader,
    into found: ProblemList
  ) throws {
    let identifier = reader.identifier
    let key = identifier.integerKey ?? 0
    if let message = keyObjection(key) ?? versionObjection(statement, plan) {
      found.note(StoreProblem(message, identifier: identifier))
    }
    let inspection = ValueInspection(
      connection: connection,
      table: plan.map.table,
      references: references
    )
    for (index, property) in reader.layout.entity.properties.enumerated() {
      let position = reader.layout.positions[index]
      guard position >= 0, let content = reader.layout.contents[index],
        let column = try catalog.map.entity(named: reader.layout.entity.name)
          .column(of: property.name)
      else { continue }
      let cell = ValueInspection.Cell(
        statement: statement,
        position: position,
        column: column,
        property: property,
        entity: reader.layout.entity
      )
      guard let objection = try inspection.objection(to: cell, content) else { continue }
      found.note(
        StoreProblem(
          objection.message,
          identifier: identifier,
          property: property.name,
          file: objection.file
        )
      )
    }
  }

  private func keyObjection(_ key: Int64) -> String? {
    guard key > 0 else { return "the row's key is not a key of the store" }
    guard let nextKey = counters.nextKey, key >= nextKey else { return nil }
    return "the row's key would be assigned again: the next key is \(nextKey)"
  }

  private func versionObjection(_ statement: Statement, _ plan: RowPlan) -> String? {
    let position = Int(plan.versionPosition)
    let version = statement.integer(at: position)
    guard statement.storage(at: position) == .integer, version >= 0 else {
      return "the row's version is not a save number"
    }
    // Rows of a program without versions are at the first one.
    guard let saves = counters.saves, version > max(saves, 1) else { return nil }
    return "the row's version is \(version), but the last save number is \(saves)"
  }
}
