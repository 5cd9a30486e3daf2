import StoreProtocol

extension SQLiteStore {
  public func count(_ query: StoreQuery) throws -> Int {
    try database.read { try QueryReader(catalog: catalog, connection: $0).count(query) }
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    switch query.content {
    case .values:
      if let key = query.row?.integerKey { return try readRow(key, of: query.entity, body) }
      try database.read { try QueryReader(catalog: catalog, connection: $0).read(query, body) }
    case .records:
      let found = try database.readSnapshot {
        try QueryReader(catalog: catalog, connection: $0).records(query)
      }
      try read(records: found, body)
    case .identifiers:
      let found = try database.read {
        try QueryReader(catalog: catalog, connection: $0).identifiers(query)
      }
      try read(identifiers: found, body)
    }
  }

  /// Reads a single row by the statement of its plan.
  private func readRow(
    _ key: Int64,
    of entity: String,
    _ body: (RowReader) throws -> Void
  ) throws {
    let plan = try catalog.plan(of: entity)
    try database.read { connection in
      try connection.withStatement(plan.selectionByKey) { statement in
        try statement.bind(key, at: 1)
        guard try statement.step() else { return }
        let reader = connection.rowReader(of: statement, plan, catalog)
        try reader.move()
        try body(reader)
      }
    }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    guard wantsRows,
      let plan = try catalog.members(of: property, in: entity)
    else {
      let found = try database.readSnapshot {
        try MemberReader(catalog: catalog, connection: $0)
          .members(of: property, in: entity, owners: owners)
      }
      return .listed(found)
    }
    let owners = owners.compactMap(\.integerKey)
    guard owners.count != 1 else {
      let orders = try database.read {
        try MemberReader(catalog: catalog, connection: $0).readRows(plan, owner: owners[0], body)
      }
      return .read(orders: orders)
    }
    let orders = try database.readSnapshot {
      try MemberReader(catalog: catalog, connection: $0).readRows(plan, owners: owners, body)
    }
    return .read(orders: orders)
  }

  public func readingOneState(_ body: () throws -> Void) throws {
    try database.holdingReader(body)
  }
}
