import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Relationships of rows that new records with equal unique values update.
extension ChangeWriter {
  /// Appends related objects to a relationship with a table of its own.
  func add(_ list: WaitingList) throws {
    guard case .identifiers(let members) = list.value else {
      if list.value.isNull { return }
      throw mismatch(list.value, list.property, list.entity)
    }
    guard let keys = storedKeys(members) else { throw unsaved(list.entity, list.property) }
    let sql = "SELECT member, position FROM \(list.join.sql) WHERE owner = ?"
    var present: Set<Int64> = []
    var end: Int64 = 0
    try connection.withStatement(sql, .integer(list.owner)) { statement in
      while try statement.step() {
        present.insert(statement.integer(at: 0))
        let position = statement.integer(at: 1)
        guard position < StoreNumbers.greatest else {
          throw DataStoreError(.storeDamaged, "a to-many list cannot take another element")
        }
        end = max(end, position + 1)
      }
    }
    try insert(keys.withoutRepeats.filter { !present.contains($0) }, into: list, from: end)
  }

  /// Appends related objects to the stored order of a one-to-many relationship.
  func addOrder(_ entry: WaitingValue) throws {
    let table = entry.plan.map.table
    guard case .identifiers(let members) = entry.value, let keys = storedKeys(members)
    else { throw unsaved(entry.plan.map.entity, entry.column.property) }
    let stored = try value(of: entry.column.map, row: entry.key, in: table) { $0.text(at: 0) }
    let joined = (stored.map(KeyList.decoded) ?? []) + keys
    try connection.run(
      WritePlan.update(of: table, [entry.column.map]),
      .text(KeyList.encoded(joined.withoutRepeats)),
      .integer(entry.key)
    )
  }

  /// Records the one-to-one counterparts of a row that a new record changes.
  func noteCounterparts(
    of key: Int64,
    _ values: [StoreValue],
    _ shared: [WriteColumn],
    _ plan: WritePlan
  ) throws {
    for index in plan.oneToOneProperties {
      guard let column = shared.first(where: { $0.property == index }) else { continue }
      var counterpart: Int64?
      // A reference to a row that the batch inserts later is not in the column yet.
      if let awaited = waiting.last(where: { $0.key == key && $0.column.map == column.map }),
        case .identifier(let one) = awaited.value, let number = one.temporaryNumber
      {
        newCounterparts[number] = one
        counterpart = -number
      } else {
        counterpart = try value(of: column.map, row: key, in: plan.map.table) {
          $0.isNull(at: 0) ? nil : $0.integer(at: 0)
        }
      }
      guard let counterpart else { continue }
      let property = plan.map.entity.properties[index]
      counterparts.append(FormerCounterpart(of: key, by: property, counterpart: counterpart))
    }
  }

  /// Clears the references of former one-to-one counterparts to merged rows.
  func detachFormerCounterparts() throws {
    for former in counterparts {
      let counterpart =
        former.counterpart < 0
        ? newCounterparts[-former.counterpart].flatMap(key(of:)) : former.counterpart
      guard let counterpart, let relationship = former.property.relationship,
        let inverse = relationship.inverse
      else { continue }
      let other = try catalog.map.entity(named: relationship.destination)
      guard let back = other.column(of: inverse),
        let property = other.entity.property(named: inverse),
        let owner = property.relationship?.destination
      else { continue }
      let map = try catalog.map.entity(named: owner)
      guard let forward = map.column(of: former.property.name) else { continue }
      let condition =
        " WHERE \(other.table.key) = ?1 AND \(back.sql) = ?2 AND NOT EXISTS (SELECT 1 FROM "
        + "\(map.table.sql) WHERE \(map.table.key) = ?2 AND \(forward.sql) = ?1)"
      if property.isOptional {
        let sql = "UPDATE \(other.table.sql) SET \(back.sql) = NULL" + condition
        let identifier = try finder.identifier(of: counterpart, other)
        try noteBefore(CollectionOfOne(identifier))
        try connection.run(sql, .integer(counterpart), .integer(former.row))
        if connection.changedRowCount > 0 {
          try noteCounterpart(identifier, lost: inverse, cause: .merge)
        }
      } else if try connection.hasRow(
        "SELECT 1 FROM \(other.table.sql)" + condition,
        .integer(counterpart),
        .integer(former.row)
      ) {
        throw DataStoreError.counterpartLost(
          try finder.identifier(of: counterpart, other),
          inverse,
          to: try finder.identifier(of: former.row, map)
        )
      }
    }
  }

  private func value<Value>(
    of column: ColumnMap,
    row key: Int64,
    in table: TableMap,
    _ read: (Statement) throws -> Value?
  ) throws -> Value? {
    try connection.first(table.selectionByKey(column.sql), .integer(key), read: read)
  }
}
