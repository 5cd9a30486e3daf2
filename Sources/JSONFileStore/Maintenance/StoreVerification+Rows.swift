import StoreFiles
import StoreProtocol

extension StoreVerification {
  /// Checks the consistency of the rows, and the files that they name.
  mutating func inspectRows(of state: StoreState) {
    for index in state.tables.indices {
      guard let table = state.tables[index].table else { continue }
      inspectReferences(of: table, index, state)
      inspectFiles(of: table)
    }
    for constraint in core.map.constraints { inspectUniqueness(constraint, state) }
  }

  private func identifier(_ table: Table, _ key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(scope: table.scope, key: .integer(key))
  }

  /// Records references that cannot be the result of saves; one to a deleted row counts as nil.
  private mutating func inspectReferences(of table: Table, _ index: Int, _ state: StoreState) {
    for (property, type) in core.map.types[index].enumerated()
    where type == .reference || type == .references {
      let destinations = core.map.destinations[index][property].filter {
        state.tables[$0].table != nil
      }
      // Rows that could not be read may be the destination.
      guard destinations.count == core.map.destinations[index][property].count else { continue }
      let column = table.columns[property]
      for slot in 0..<table.slotCount where table.isAlive(slot) && !column.isNull(slot) {
        let keys = type == .reference ? [column.integer(slot)] : column.keys(slot)
        for key in keys where !destinations.contains(where: { state.hasRow(key, in: $0) }) {
          inspect(key, of: table, slot, table.entity.properties[property], state)
        }
      }
    }
  }

  /// Records a key that refers to no row of the entity, unless it may be the key of a deleted row.
  private mutating func inspect(
    _ key: Int64,
    of table: Table,
    _ slot: Int,
    _ property: StoreProperty,
    _ state: StoreState
  ) {
    let other = state.tables.indices.first { state.hasRow(key, in: $0) }
    let message: String
    if let other {
      message = "the key \(key) belongs to a row of \(state.tables[other].entity.name)"
    } else if key >= state.nextKey {
      message = "the key \(key) refers to a row that never existed"
    } else {
      return
    }
    note(
      StoreProblem(
        message,
        identifier: identifier(table, table.keys[slot]),
        property: property.name,
        file: core.path
      )
    )
  }

  private mutating func inspectUniqueness(_ constraint: StoreConstraint, _ state: StoreState) {
    var rows: [UniqueKey: PersistentIdentifier] = [:]
    for index in (try? core.map.family(of: constraint.entity)) ?? [] {
      guard let table = state.tables[index].table,
        let own = core.map.tableConstraints[index].first(where: {
          core.map.constraints[$0.number] == constraint
        })
      else { continue }
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        guard refersToRow(own, table, slot, state),
          let unique = UniqueKey(of: own.properties, { table.columns[$0].cell(slot) })
        else { continue }
        let identifier = identifier(table, table.keys[slot])
        guard let rival = rows.updateValue(identifier, forKey: unique) else { continue }
        let properties = constraint.properties.joined(separator: ", ")
        note(
          StoreProblem(
            "\(rival) has the same unique \(properties)",
            identifier: identifier,
            property: constraint.properties.count == 1 ? properties : nil,
            file: core.path
          )
        )
      }
    }
  }

  /// Returns whether the references of unique values refer to existing rows; otherwise nothing is
  /// compared.
  private func refersToRow(
    _ constraint: TableConstraint,
    _ table: Table,
    _ slot: Int,
    _ state: StoreState
  ) -> Bool {
    constraint.references.allSatisfy { property, tables in
      let column = table.columns[property]
      return column.isNull(slot)
        || tables.contains { state.hasRow(column.integer(slot), in: $0) }
    }
  }

  private mutating func inspectFiles(of table: Table) {
    for (property, column) in table.columns.enumerated() {
      for (slot, reference) in column.files.sorted(by: { $0.key < $1.key })
      where table.isAlive(slot) {
        do throws(ValueFileError) {
          try core.valueFiles.check(reference)
        } catch {
          let name = table.entity.properties[property].name
          let found = error.translated(entity: table.entity.name, property: name)
          note(
            StoreProblem(
              found.message,
              identifier: identifier(table, table.keys[slot]),
              property: name,
              file: found.file
            )
          )
        }
      }
    }
  }
}
