extension RecordStore {
  /// Returns `nil`: the store does not detect saves by others.
  public func watch() throws -> (any StoreWatch)? { nil }

  /// Returns `nil`: the store does not notice saves of others.
  public var latestSave: Int64? { nil }

  /// Returns `nil`: the store takes no keys.
  public func nextKey() throws -> Int64? { nil }

  /// Returns the number of identifiers.
  public func count(_ query: StoreQuery) throws -> Int { try identifiers(query).count }

  /// Returns the identifiers of the rows of a query, in its order.
  package func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    var query = query
    query.content = .identifiers
    var found: [PersistentIdentifier] = []
    try read(query) { found.append($0.identifier) }
    return found
  }

  /// Returns the rows of a query as records, in its order.
  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    var query = query
    query.content = .records
    var found: [DefaultSnapshot] = []
    try read(query) { found.append(try $0.record()) }
    return found
  }

  /// Reads records as rows.
  public func read(
    records: [DefaultSnapshot],
    _ body: (RowReader) throws -> Void
  ) throws {
    let reader = SnapshotReader(schema: schema.storeSchema)
    for record in records {
      try reader.move(to: record)
      try body(reader)
    }
  }

  /// Reads identifiers as rows without values.
  package func read(
    identifiers: [PersistentIdentifier],
    _ body: (RowReader) throws -> Void
  ) throws {
    let reader = RowReader()
    for identifier in identifiers {
      reader.identifier = identifier
      try body(reader)
    }
  }

  /// Runs the body.
  public func readingOneState(_ body: () throws -> Void) throws { try body() }

  /// Returns the related objects of to-many relationships of rows, in order.
  package func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let found = try members(of: property, in: entity, owners: owners, wantsRows: false) { _, _ in }
    guard case .listed(let members) = found else {
      throw DataStoreError(
        .unsupportedFeature,
        "\(Self.self) read rows of related objects that were not wanted; return .listed",
        entity: entity,
        property: property
      )
    }
    return members
  }

  /// Lists the related objects from the records.
  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    .listed(try listedMembers(of: property, in: entity, owners: owners))
  }

  /// Returns the related objects from the records: from the destination's references if they
  /// determine the relationship, otherwise from the owners.
  public func listedMembers(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    guard
      let description = schema.storeSchema.entity(named: entity)?.property(named: property),
      let relationship = description.relationship
    else { return [:] }
    var listed: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for record in try fetch(.rows(owners, of: entity)) {
      listed[record.persistentIdentifier] = record[property]?.identifiers ?? []
    }
    if description.isDerivedToMany, let inverse = relationship.inverse {
      listed = try derived(
        relationship.destination,
        inverse,
        owners: Array(listed.keys),
        listed: listed
      )
    }
    // An owner may have been requested by the name of a superentity.
    let asked = Dictionary(firstOf: owners.map { ($0.key, $0) })
    return listed.reduce(into: [:]) { $0[asked[$1.key.key] ?? $1.key] = $1.value }
  }

  private func derived(
    _ destination: String,
    _ inverse: String,
    owners: [PersistentIdentifier],
    listed: [PersistentIdentifier: [PersistentIdentifier]]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    var query = StoreQuery(
      entity: destination,
      filter: .contains(.constant(.identifiers(owners)), .property(.element(0), inverse))
    )
    // Rows that the store's plan does not exclude are skipped below.
    query.filter = try plan(.query(query)).filter
    var belonging: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for record in try fetch(query) {
      guard case .identifier(let owner) = record[inverse] else { continue }
      belonging[owner, default: []].append(record.persistentIdentifier)
    }
    return listed.reduce(into: [:]) { result, entry in
      result[entry.key] = MemberOrder.ordered(belonging[entry.key] ?? [], by: entry.value)
    }
  }

  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let query = try request.descriptor.query(in: schema, store: identifier)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try fetch(query)
    )
  }

  public func fetchCount<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> Int where T: PersistentModel {
    try count(request.descriptor.query(in: schema, store: identifier))
  }

  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try identifiers(request.descriptor.query(in: schema, store: identifier))
  }
}

/// The order of the related objects of a to-many relationship.
public enum MemberOrder {
  /// Orders related objects by a list: first those in the list, then the others in the order of
  /// their keys.
  public static func ordered(
    _ members: [PersistentIdentifier],
    by list: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    guard !list.isEmpty else { return members.sorted() }
    let present = Set(members)
    var seen: Set<PersistentIdentifier> = []
    var result: [PersistentIdentifier] = []
    for identifier in list where present.contains(identifier) && seen.insert(identifier).inserted {
      result.append(identifier)
    }
    return result + members.filter { !seen.contains($0) }.sorted()
  }

  /// Orders related objects with integer keys in the same way.
  package static func ordered<Member>(
    _ members: [Member],
    by list: [Int64],
    key: (Member) -> Int64
  ) -> [Member] {
    let positions = Dictionary(firstOf: zip(list, list.indices))
    let ranked = members.map { member in
      let key = key(member)
      return (rank: (positions[key] ?? .max, key), member: member)
    }
    return ranked.sorted { $0.rank < $1.rank }.map(\.member)
  }
}
