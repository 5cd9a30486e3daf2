import Foundation
import PostgreSQLClient
import RowChanges
import StoreProtocol
import Synchronization

/// A store in a schema of a PostgreSQL database.
///
/// Each hierarchy of entities has a table, whose columns are the properties. Any number of processes
/// and machines can use a store at once: its saves come one after the other, and a reader sees whole
/// saves.
public final class PostgreSQLStore: RecordStore, HistoryKeeping {
  /// The configuration that describes such a store.
  public typealias Configuration = PostgreSQLStoreConfiguration
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The models that the store holds.
  public let schema: Schema
  /// The configuration that the store was opened with.
  public let configuration: PostgreSQLStoreConfiguration
  /// The name of the store in identifiers.
  public let identifier: String
  let session: Session
  let map: StoreMap
  private let durability: StoreCapabilities.Durability
  /// What saves would have returned of which it is not known whether they are stored.
  let doubtful = Mutex<[UUID: StoreChangesResult]>([:])

  /// Opens the store of a configuration, or creates it.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` for a new store without a schema, or without
  ///   libpq; ``DataStoreError/schemaMismatch`` if the store has another schema; what the server
  ///   refuses.
  public init(
    _ configuration: PostgreSQLStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    session = Session(configuration)
    let opened = try session.write { connection in
      try StoreOpening(configuration, connection).run()
    }
    (schema, identifier, durability) = (opened.schema, opened.identifier, opened.durability)
    map = try StoreMap(
      opened.schema.storeSchema,
      storeIdentifier: opened.identifier,
      databaseSchema: configuration.databaseSchema
    )
  }

  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      filtering: .emulated,
      sorting: .emulated,
      uniqueness: .native,
      history: configuration.history.content.support,
      concurrentProcesses: .native,
      versions: .native,
      durability: durability
    )
  }

  public func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    let request = try request(query)
    return try session.read { connection in
      try RecordReader(map: map, connection: connection).records([request])[0]
    }
  }

  public func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    let request = try request(query)
    return try session.read { connection in
      try RecordReader(map: map, connection: connection).identifiers(request)
    }
  }

  public func count(_ query: StoreQuery) throws -> Int {
    let request = try request(query)
    let statement = request.statement(selecting: "1")
    let counting = Statement(
      "SELECT count(*) FROM (\(statement.sql)) AS found",
      statement.parameters,
      isPrepared: true
    )
    return try session.read { connection in
      Int(try connection.run(counting).value(0, 0, as: Int64.self) ?? 0)
    }
  }

  /// The rows of a query that asks for rows by identity, or for all.
  private func request(_ query: StoreQuery) throws -> RowRequest {
    let table = try map.table(of: query.entity)
    guard query.filter == nil || query.identifiers != nil else {
      throw DataStoreError.preferInMemoryFilter
    }
    guard query.sort.isEmpty else { throw DataStoreError.preferInMemorySort }
    var request = RowRequest(table)
    var conditions: [String] = []
    if let identifiers = query.identifiers {
      request.parameters.append(Parameter(array: identifiers.compactMap(\.integerKey)))
      conditions.append("_key = ANY($\(request.parameters.count))")
    }
    if table.isShared {
      let family =
        query.includesSubentities
        ? map.catalog.schema.family(of: query.entity).map(\.name) : [query.entity]
      request.parameters.append(Parameter(array: family))
      conditions.append("_entity = ANY($\(request.parameters.count))")
    }
    if !conditions.isEmpty { request.rest = "WHERE " + conditions.joined(separator: " AND ") }
    request.rest += " ORDER BY _key"
    if let limit = query.limit { request.rest += " LIMIT \(max(0, limit))" }
    if query.offset > 0 { request.rest += " OFFSET \(query.offset)" }
    return request
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    guard let description = try map.catalog.entity(named: entity).property(named: property),
      description.isToMany, let relationship = description.relationship
    else { return [:] }
    let request = try request(.rows(owners, of: entity))
    return try session.read { connection in
      let reader = RecordReader(map: map, connection: connection)
      let records = try reader.records([request])[0]
      var belonging: [Int64: [PersistentIdentifier]] = [:]
      if description.isDerivedToMany, let inverse = relationship.inverse {
        let keys = records.compactMap(\.persistentIdentifier.integerKey)
        belonging = try reader.referrers(inverse, of: relationship.destination, to: keys)
      }
      let byKey = Dictionary(
        records.map { ($0.persistentIdentifier.integerKey, $0) },
        uniquingKeysWith: { first, _ in first }
      )
      return owners.reduce(into: [:]) { result, owner in
        guard let key = owner.integerKey, let record = byKey[key] else { return }
        var listed: [PersistentIdentifier] = []
        if case .identifiers(let list)? = record[property] { listed = list }
        result[owner] =
          description.isDerivedToMany
          ? MemberOrder.ordered(belonging[key] ?? [], by: listed) : listed
      }
    }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try capabilities.check(changes)
    try changes.checkReferences()
    var result: StoreChangesResult?
    do {
      return try session.write { connection in
        var save = StoreSave(changes, map, configuration.history, connection)
        result = try save.prepare()
        try connection.commit(try save.statements())
        return save.result
      }
    } catch let error as DataStoreError where error.code == .outcomeUnknown {
      if let result { doubtful.withLock { $0[changes.saveIdentifier] = result } }
      throw error
    }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    let table = "\(map.space)._saves"
    // A save that is still on its way holds this up, and can end no other way afterward.
    let number: Int64? = try session.write { connection in
      let now = StoreEnvironment.current.now().timeIntervalSinceReferenceDate
      let results = try connection.commit([
        Statement(
          "INSERT INTO \(table) (save, at) VALUES ($1, $2) ON CONFLICT (save) DO NOTHING",
          [Parameter(identifier), Parameter(now)]
        ),
        Statement("SELECT number FROM \(table) WHERE save = $1", [Parameter(identifier)]),
      ])
      return try results.last?.value(0, 0, as: Int64.self)
    }
    let known = doubtful.withLock { $0.removeValue(forKey: identifier) }
    guard let number else { return .notSaved }
    return .saved(known ?? StoreChangesResult(version: number))
  }

  public func nextKey() throws -> Int64? {
    let statement = Statement("SELECT next_key FROM \(map.space)._meta", isPrepared: true)
    return try session.read { try $0.run(statement).value(0, 0, as: Int64.self) }
  }

  public func watch() throws -> (any StoreWatch)? {
    try SaveWatch(session, map.space)
  }

  /// Removes all rows, and the history with them.
  public func erase() throws {
    let save = StoreEnvironment.current.makeSaveIdentifier()
    try session.write { connection in
      let numbers = try SaveNumbers.take(map.space, connection)
      let deletions = map.sortedTables.map { Statement("DELETE FROM \($0.name)") }
      let history = StoredHistory(map, connection)
      try connection.commit(deletions + history.cutAll(at: numbers.save, save))
    }
  }
}
