import StoreHelpers
import StoreProtocol

extension ChangePlan {
  /// Returns a row's value after the changes of the batch so far.
  func cell(_ property: Int, of key: Int64, table: Int, _ state: StoreState) -> Cell {
    if let location = insertLocation(of: key) { return insertedCell(property, at: location) }
    if let position = updatePositions[key], let cell = updated[position].cell(of: property) {
      return cell
    }
    guard case .rows(let rows) = state.tables[table].content, let slot = rows.slot(of: key) else {
      return .null
    }
    return rows.columns[property].cell(slot)
  }

  /// Records the rows that a row refers to by one-to-one relationships that a new record changes.
  mutating func noteCounterparts(
    of key: Int64,
    _ cells: [Cell],
    _ entity: StoreEntity,
    shared: Int,
    table: Int,
    _ state: StoreState
  ) {
    for index in entity.oneToOneProperties where index < shared {
      guard case .integer(let counterpart) = cell(index, of: key, table: table, state),
        !cells[index].refers(to: counterpart)
      else { continue }
      let property = entity.properties[index]
      counterparts.append(FormerCounterpart(of: key, by: property, counterpart: counterpart))
    }
  }

  /// Clears the references of former counterparts to merged rows that no longer refer to them.
  mutating func detachFormerCounterparts(_ state: inout StoreState) throws {
    for former in counterparts {
      let counterpart =
        former.counterpart < 0 ? values.keys?[-former.counterpart] : former.counterpart
      guard let counterpart, !deletedKeys.contains(counterpart),
        let relationship = former.property.relationship, let inverse = relationship.inverse
      else { continue }
      let near = try map.table(of: relationship.destination)
      for table in try map.family(of: relationship.destination) {
        try state.load(table, file: file)
      }
      guard let table = table(of: counterpart, state, near: near),
        let index = state.tables[table].entity.indexByName[inverse],
        cell(index, of: counterpart, table: table, state).refers(to: former.row),
        let owner = state.tables[table].entity.properties[index].relationship?.destination,
        let row = self.table(of: former.row, state, near: try map.table(of: owner)),
        let forward = state.tables[row].entity.indexByName[former.property.name],
        !cell(forward, of: former.row, table: row, state).refers(to: counterpart)
      else { continue }
      guard state.tables[table].entity.properties[index].isOptional else {
        throw DataStoreError.counterpartLost(
          state.identifier(counterpart, in: table),
          inverse,
          to: state.identifier(former.row, in: row)
        )
      }
      try change(Row(table: table, key: counterpart, cells: [.null], properties: [index]), &state)
    }
  }
}

extension Cell {
  /// Returns the elements of two lists: those of this list, then those of the other.
  func joined(by other: Cell) -> Cell {
    switch (self, other) {
    case (.keys(let own), .keys(let new)): .keys((own + new).withoutRepeats)
    case (.null, _): other
    default: self
    }
  }

  fileprivate func refers(to key: Int64) -> Bool {
    if case .integer(key) = self { return true }
    return false
  }
}
