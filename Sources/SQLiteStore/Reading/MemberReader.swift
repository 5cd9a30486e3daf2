import SQLTranslation
import StoreProtocol

/// Reads the related objects of to-many relationships, for many owners in one query.
struct MemberReader {
  let catalog: Catalog
  let connection: Connection

  /// Returns the related objects of some owners in order, with one entry for each existing row.
  ///
  /// The result has the identifiers of the owners as they were passed.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let map = try catalog.map.entity(named: entity)
    let given = Dictionary(
      firstOf: owners.compactMap { owner in owner.integerKey.map { ($0, owner) } }
    )
    let keys = Array(given.keys)
    let found: [Int64: [PersistentIdentifier]]
    if let join = map.join(of: property) {
      let listed = try members(in: join, owners: keys)
      found = try existing(keys, map).reduce(into: [:]) { $0[$1] = listed[$1] ?? [] }
    } else {
      found = try derived(property, of: map, keys)
    }
    return found.reduce(into: [:]) { result, entry in
      if let owner = given[entry.key] { result[owner] = entry.value }
    }
  }

  /// Returns the related objects that a join table lists.
  func members(
    in join: JoinMap,
    owners: [Int64]
  ) throws -> [Int64: [PersistentIdentifier]] {
    let table = catalog.map.table(named: join.memberTable)
    let source: String
    if let table, let column = table.entityColumn {
      source =
        "SELECT j.owner, j.member, m.\(column) FROM \(join.sql) AS j"
        + " JOIN \(table.sql) AS m ON m.\(table.key) = j.member"
    } else {
      source = "SELECT j.owner, j.member FROM \(join.sql) AS j"
    }
    let sql =
      "\(source) WHERE j.owner IN (SELECT value FROM json_each(?))"
      + " ORDER BY j.owner, j.position"
    return try grouped(sql, owners, entity: join.memberEntity, hasName: table?.entityColumn != nil)
  }

  private func existing(_ keys: [Int64], _ map: EntityMap) throws -> [Int64] {
    let sql = map.table.selectionByKeys(map.table.key)
    return try connection.rows(sql, .text(KeyList.encoded(keys))) { $0.integer(at: 0) }
  }

  /// Returns the related objects that refer to their owners, in the order that each owner stores.
  private func derived(
    _ property: String,
    of map: EntityMap,
    _ keys: [Int64]
  ) throws -> [Int64: [PersistentIdentifier]] {
    guard let plan = try catalog.members(of: property, in: map.entity.name) else { return [:] }
    let table = plan.rows.map.table
    let sql =
      "SELECT \(plan.owner.sql), \(table.identifier) FROM \(table.sql)"
      + " WHERE \(plan.owner.sql) IN (SELECT value FROM json_each(?))"
    let belonging = try grouped(
      sql,
      keys,
      entity: plan.rows.map.entity.name,
      hasName: table.entityColumn != nil
    )
    let list = KeyList.encoded(keys)
    return try orders(plan.order, of: map, list).reduce(into: [:]) { result, entry in
      result[entry.key] = MemberOrder.ordered(belonging[entry.key] ?? [], by: entry.value) {
        $0.integerKey ?? 0
      }
    }
  }

  /// Reads the rows of related objects by owner; see ``RecordStore/members(of:in:owners:wantsRows:_:)``.
  ///
  /// The connection is in a transaction: rows and orders are read by two statements.
  func readRows(
    _ plan: MemberPlan,
    owners: [Int64],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]] {
    let list = KeyList.encoded(owners)
    let sql =
      "\(plan.rows.selection) WHERE \(plan.owner.sql) IN (SELECT value FROM json_each(?))"
    try connection.withStatement(sql, .text(list)) { statement in
      let references = ReferenceReader(catalog: catalog, connection: connection)
      let reader = StatementRowReader(statement, plan: plan.rows, references: references)
      var layout = reader.layout
      var owner = layout.position(of: plan.inverse)
      while try statement.step() {
        try reader.move()
        if reader.layout !== layout {
          layout = reader.layout
          owner = layout.position(of: plan.inverse)
        }
        if let owner { try body(statement.integer(at: owner), reader) }
      }
    }
    return try orders(plan.order, of: plan.map, list, isKept: true)
  }

  /// Reads the rows of one owner's related objects, with its stored order, by one statement.
  ///
  /// A single statement reads one state, so that no transaction is needed.
  func readRows(
    _ plan: MemberPlan,
    owner: Int64,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]] {
    try connection.withStatement(plan.selectionByOwner) { statement in
      try statement.bind(owner, at: 1)
      var orders: [Int64: [Int64]] = [:]
      guard try statement.step() else { return orders }
      if !statement.isNull(at: plan.orderPosition) {
        orders[owner] = KeyList.decoded(statement.text(at: plan.orderPosition) ?? "")
      }
      let reader = connection.rowReader(of: statement, plan.rows, catalog)
      repeat {
        try reader.move()
        try body(owner, reader)
      } while try statement.step()
      return orders
    }
  }

  /// Returns the stored order of each existing row of a list, or only of those that store one.
  ///
  /// The order is empty if the related objects are ordered by their keys.
  private func orders(
    _ column: ColumnMap,
    of map: EntityMap,
    _ keys: String,
    isKept: Bool = false
  ) throws -> [Int64: [Int64]] {
    let sql =
      map.table.selectionByKeys("\(map.table.key), \(column.sql)")
      + (isKept ? " AND \(column.sql) IS NOT NULL" : "")
    return try connection.withStatement(sql, .text(keys)) {
      var found: [Int64: [Int64]] = [:]
      while try $0.step() {
        found[$0.integer(at: 0)] = $0.isNull(at: 1) ? [] : KeyList.decoded($0.text(at: 1) ?? "")
      }
      return found
    }
  }

  private func grouped(
    _ sql: String,
    _ keys: [Int64],
    entity: String,
    hasName: Bool
  ) throws -> [Int64: [PersistentIdentifier]] {
    let scope = try catalog.scope(of: entity)
    return try connection.withStatement(sql, .text(KeyList.encoded(keys))) {
      var found: [Int64: [PersistentIdentifier]] = [:]
      while try $0.step() {
        let own = hasName ? try $0.text(at: 2).map(catalog.scope) : nil
        found[$0.integer(at: 0), default: []].append(
          PersistentIdentifier(scope: own ?? scope, key: .integer($0.integer(at: 1)))
        )
      }
      return found
    }
  }
}

extension RowLayout {
  /// Returns the index of a property's column in the row, or `nil` if it has none.
  fileprivate func position(of property: String) -> Int? {
    guard let index = entity.indexByName[property], positions[index] >= 0 else { return nil }
    return positions[index]
  }
}
