import StoreProtocol

extension SQLiteStore {
  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    try database.readSnapshot { try reader($0).records(query) }
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try database.readSnapshot { try reader($0).count(query) }
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try database.readSnapshot { try reader($0).identifiers(query) }
  }

  package func identifiers(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier) throws -> Void
  ) throws {
    try database.readSnapshot { try reader($0).identifiers(query, body) }
  }

  public func read(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    // One statement sees one state by itself; an order may ask for marks before.
    if query.identifiers != nil, query.sort.isEmpty {
      return try database.read { try reader($0).read(query, body) }
    }
    try database.readSnapshot { try reader($0).read(query, body) }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try database.readSnapshot {
      try MemberReader(catalog: catalog, connection: $0)
        .members(of: property, in: entity, owners: owners)
    }
  }

  package func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, PersistentIdentifier, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]? {
    try database.readSnapshot {
      try MemberReader(catalog: catalog, connection: $0)
        .readRows(of: property, in: entity, owners: owners, body)
    }
  }

  private func reader(_ connection: Connection) -> QueryReader {
    QueryReader(catalog: catalog, connection: connection)
  }
}
