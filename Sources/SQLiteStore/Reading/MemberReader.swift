import StoreProtocol

/// Reads the members of to-many relationships, for many owners in one query.
struct MemberReader {
  let catalog: Catalog
  let connection: Connection

  /// The members of a relationship of some rows, in order; one entry for each row that exists.
  ///
  /// The result has the identifiers of the owners as they were given.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let map = try catalog.map.entity(named: entity)
    let given = Dictionary(
      owners.compactMap { owner in owner.integerKey.map { ($0, owner) } },
      uniquingKeysWith: { first, _ in first }
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

  /// The members that a table of its own lists.
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
    let sql =
      "SELECT \(map.table.key) FROM \(map.table.sql)"
      + " WHERE \(map.table.key) IN (SELECT value FROM json_each(?))"
    return try connection.withStatement(sql) {
      try $0.bind(KeyList.encoded(keys), at: 1)
      var found: [Int64] = []
      while try $0.step() { found.append($0.integer(at: 0)) }
      return found
    }
  }

  /// The members that say themselves where they belong, in the order that the owner keeps.
  private func derived(
    _ property: String,
    of map: EntityMap,
    _ keys: [Int64]
  ) throws -> [Int64: [PersistentIdentifier]] {
    guard let description = map.entity.property(named: property),
      let relationship = description.relationship, let inverse = relationship.inverse,
      let order = map.column(of: property)
    else { return [:] }
    let members = try catalog.map.entity(named: relationship.destination)
    guard let column = members.column(of: inverse) else { return [:] }
    let table = members.table
    let name = table.entityColumn.map { ", \($0)" } ?? ""
    let sql =
      "SELECT \(column.sql), \(table.key)\(name) FROM \(table.sql)"
      + " WHERE \(column.sql) IN (SELECT value FROM json_each(?))"
    let belonging = try grouped(
      sql,
      keys,
      entity: relationship.destination,
      hasName: table.entityColumn != nil
    )
    return try orders(order, of: map, keys).reduce(into: [:]) { result, entry in
      result[entry.key] = Self.ordered(belonging[entry.key] ?? [], by: entry.value)
    }
  }

  /// Listed members first, the others behind them in the order of their keys.
  private static func ordered(
    _ members: [PersistentIdentifier],
    by list: [Int64]
  ) -> [PersistentIdentifier] {
    guard !list.isEmpty else { return members.sorted() }
    var left: [Int64: PersistentIdentifier] = [:]
    for member in members {
      if let key = member.integerKey { left[key] = member }
    }
    var ordered: [PersistentIdentifier] = []
    for key in list {
      if let member = left.removeValue(forKey: key) { ordered.append(member) }
    }
    return ordered + left.values.sorted()
  }

  /// The kept order of each row that exists, empty where the members come by their keys.
  private func orders(
    _ column: ColumnMap,
    of map: EntityMap,
    _ keys: [Int64]
  ) throws -> [Int64: [Int64]] {
    let sql =
      "SELECT \(map.table.key), \(column.sql) FROM \(map.table.sql)"
      + " WHERE \(map.table.key) IN (SELECT value FROM json_each(?))"
    return try connection.withStatement(sql) {
      try $0.bind(KeyList.encoded(keys), at: 1)
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
    return try connection.withStatement(sql) {
      try $0.bind(KeyList.encoded(keys), at: 1)
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
