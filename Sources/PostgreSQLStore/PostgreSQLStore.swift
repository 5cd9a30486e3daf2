import Foundation
import PostgreSQLClient
import RowChanges
import StoreHelpers
import StoreProtocol
import Synchronization

/// A store in a schema of a PostgreSQL database.
///
/// Each hierarchy of entities has a table whose columns are the properties. Any number of processes
/// and machines can use a store at once. Saves are serialized, and readers see only complete saves.
public final class PostgreSQLStore: RecordStore, HistoryKeeping {
  /// The type of the store's configuration.
  public typealias Configuration = PostgreSQLStoreConfiguration

  /// The models that the store holds.
  public let schema: Schema
  /// The configuration that the store was opened with.
  public let configuration: PostgreSQLStoreConfiguration
  /// The identifier of the store, which persistent identifiers contain.
  public let identifier: String
  let session: Session
  let map: StoreMap
  private let position: StorePosition
  /// The number of changes to the store's schema before the store was opened.
  package var structure: Int64 { position.structure }
  private let durability: StoreCapabilities.Durability
  let features: ServerFeatures
  /// The notifications of saves, or `nil` if the server has none.
  private let notifications: SaveNotifications?
  /// The entities of which the last read returned many rows.
  private let largeEntities = Mutex<Set<String>>([])
  /// The statements for single rows by entity, each from its first use.
  private let statementsOfRows = Mutex<[String: SingleRows]>([:])
  let writer: SaveWriter

  /// Opens the store of a configuration, or creates it.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` for a new store without a schema, or without
  ///   libpq; ``DataStoreError/schemaMismatch`` if the store has a schema that cannot be migrated
  ///   automatically; errors of the server.
  public init(
    _ configuration: PostgreSQLStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    let session = try Session(configuration)
    let existing = try session.read(isAlone: true) { connection in
      try StoreOpening(configuration, connection).matching()
    }
    let opened = try existing ?? Self.open(configuration.forDefinitions())
    PostgreSQLMigration.removeRemains(of: configuration, opened)
    var supported = configuration
    supported.features = opened.features
    position = StorePosition(
      identifier: opened.identifier,
      structure: opened.structure,
      space: session.space,
      location: configuration.name
    )
    var checked = try Session(supported)
    checked.position = position
    checked.repeatsReads = opened.repeatsReads
    self.session = checked
    notifications =
      opened.features.contains(.notifications)
      ? try SaveNotifications(configuration.databaseSchema) : nil
    schema = configuration.schema ?? Schema(storeSchema: opened.map.schema)
    (identifier, durability, features) = (opened.identifier, opened.durability, opened.features)
    map = StoreMap(
      opened.map,
      storeIdentifier: opened.identifier,
      space: session.space,
      structure: opened.structure
    )
    writer = SaveWriter(
      checked,
      map,
      configuration,
      position,
      notifications,
      expecting: opened.next
    )
  }

  private static func open(
    _ configuration: PostgreSQLStoreConfiguration
  ) throws -> StoreOpening.Stored {
    let session = try Session(configuration)
    func open() throws -> StoreOpening.Stored {
      try session.defining {
        try session.write { try StoreOpening(configuration, $0).run() }
      }
    }
    do { return try open() } catch let error as DataStoreError {
      // Without a lock, another program created the store at the same time.
      guard let cause = error.cause as? PostgreSQLError, cause.isDuplicate else { throw error }
      return try open()
    }
  }

  /// Drops a store with all its data and its schema, unless the schema contains anything else.
  ///
  /// - Parameters:
  ///   - configuration: The store.
  ///   - summary: The state that the store must have, or `nil` for any.
  /// - Returns: Whether there was such a store.
  /// - Throws: ``DataStoreError/notSaved`` if the schema contains anything else; the store is then
  ///   unchanged.
  @discardableResult
  package static func remove(
    _ configuration: PostgreSQLStoreConfiguration,
    as summary: PostgreSQLStoreSummary? = nil
  ) throws -> Bool {
    let space = try SQLName.quoted(configuration.databaseSchema)
    let configuration = try configuration.forDefinitions()
    let session = try Session(configuration)
    func remove(_ connection: Connection) throws -> Bool {
      let opening = try StoreOpening(configuration, connection)
      guard let stored = try opening.stored(locked: true) else { return false }
      if let summary {
        let saves = try connection.run(Statement("SELECT last_save FROM \(space)._meta"))
          .value(0, 0, as: Int64.self)
        guard stored.identifier == summary.identifier, saves == summary.saves else { return false }
      }
      let tables =
        StoreOpening.ownTables.map { "\(space).\($0)" } + stored.map.tableNames(in: space)
      // Without CASCADE, objects that are not the store's prevent it.
      let statements =
        try tables.map { "DROP TABLE \($0)" } + ["DROP SCHEMA \(space)"]
        + PostgreSQLMigration.removalOfRemains(of: configuration, stored.identifier, connection)
      try connection.run(statements.map { Statement($0) })
      return true
    }
    return try session.defining { try session.write(remove) }
  }

  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      filtering: .native,
      sorting: .native,
      uniqueness: .native,
      // The history of values has those of each row.
      batchDelete: configuration.history.content == .values ? .emulated : .native,
      history: configuration.history.content.support,
      migration: .native,
      concurrentProcesses: .native,
      versions: .native,
      durability: durability,
      isRemote: true
    )
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    if query.content == .identifiers {
      return try read(identifiers: result(of: query) { try $0.identifiers($1) }, body)
    }
    if query.content == .values, let key = query.row?.integerKey {
      return try singleRows(of: query.entity).readRow(key, body)
    }
    let plan = try QueryPlan(query, map)
    guard plan.isNative else {
      return try read(records: result(of: query) { try $0.records($1) }, body)
    }
    try readRows(plan, body)
  }

  /// Reads the rows of a query that SQL computes.
  private func readRows(_ plan: QueryPlan, _ body: (ResultReader) throws -> Void) throws {
    let query = plan.query
    let selection = plan.table.selection(of: query.properties)
    let decoder = RecordDecoder(map: map)
    var count = 0
    func read(_ result: QueryResult) throws {
      count += result.rowCount
      try decoder.read(plan.table, selection, result, body)
    }
    let copy = returnsMany(query) ? plan.request.copy(of: selection) : nil
    let statement = plan.request.statement(selecting: selection.sql)
    if let copy {
      try session.copy(copy, read)
    } else if query.properties == [], query.limit == nil {
      // The keys of a large result are read first, to read its rows in parts.
      try session.forEachPortion(of: statement, read)
    } else {
      let results = try session.read([statement])
      try session.translating(isSaving: false) { try results.forEach(read) }
    }
    guard query.filter == nil, query.limit == nil else { return }
    largeEntities.withLock { large in
      if count < configuration.copiedRows {
        large.remove(query.entity)
      } else {
        large.insert(query.entity)
      }
    }
  }

  /// Returns whether a query probably returns many rows, and COPY can read them.
  private func returnsMany(_ query: StoreQuery) -> Bool {
    guard features.contains(.copying), session.canCopy else { return false }
    if let identifiers = query.identifiers { return identifiers.count >= configuration.copiedRows }
    return query.filter == nil && query.limit ?? .max >= configuration.copiedRows
      && largeEntities.withLock { $0.contains(query.entity) }
  }

  /// Returns the statement for single rows of an entity, which is translated once.
  private func singleRows(of entity: String) throws -> SingleRows {
    try statementsOfRows.withLock { known in
      if let rows = known[entity] { return rows }
      let rows = try SingleRows(of: entity, map, session)
      known[entity] = rows
      return rows
    }
  }

  public func count(_ query: StoreQuery) throws -> Int {
    try result(of: query) { try $0.count($1) }
  }

  /// Reads the result of a query, without a transaction if it is one statement.
  private func result<Result>(
    of query: StoreQuery,
    _ body: (RecordReader, QueryPlan) throws -> Result
  ) throws -> Result {
    let plan = try QueryPlan(query, map)
    return try session.read(isAlone: plan.isNative) { connection in
      try body(RecordReader(map: map, connection: connection), plan)
    }
  }

  /// Returns all of a query or a selection, and all or nothing of a bulk change.
  ///
  /// The store makes changes whose whole filter SQL expresses. Deletions need no delete rule but null
  /// in place of references. Updates are of attributes that are not unique; the new values are
  /// constants, or sums, differences and products of integers that do not overflow. The explanation
  /// has the plan of the server.
  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    if case .change(let change) = request { return try plan(of: change) }
    return StorePlan(allOf: request, explanation: explained ? try explanation(of: request) : nil)
  }

  private func explanation(of request: StorePlan.Request) throws -> StoreExplanation {
    if case .selection(let selection) = request { return try explanation(of: selection) }
    let plan = try QueryPlan(request.query, map)
    return try explanation(plan, plan.request.statement)
  }

  /// Returns the server's plan for the statement of a query.
  func explanation(_ plan: QueryPlan, _ statement: Statement) throws -> StoreExplanation {
    let statement = statement.inSchema(map.space)
    let steps = try session.read(isAlone: true) { connection in
      let result = try connection.run(Statement("EXPLAIN " + statement.sql, statement.parameters))
      return try (0..<result.rowCount).compactMap { try result.value($0, 0, as: String.self) }
    }
    let entity = try map.entity(named: plan.query.entity).entity
    var explanation = StoreExplanation(
      store: "\(Self.self)",
      nativeFilter: plan.filter.judged,
      remainingFilter: plan.filter.remaining,
      sortsNatively: plan.sorts,
      statements: [statement.sql],
      steps: steps,
      missingIndex: entity.missingIndex(
        for: plan.query,
        scans: steps.contains { $0.contains("Seq Scan") },
        sorts: steps.contains { $0.contains("Sort Key:") },
        besides: entity.indices
      )
    )
    try explanation.addRelatedIndex(for: plan.query, in: map.schema) { entity in
      // The server quotes a name that has capitals.
      let isScanned = steps.contains { step in
        [entity.root, "\"\(entity.root)\""].contains { step.contains("Seq Scan on \($0) ") }
      }
      return isScanned ? entity.indices : nil
    }
    return explanation
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    guard let requests = try MemberRequests(of: property, in: entity, owners, map) else {
      return .listed([:])
    }
    let results = try session.read(requests.statements)
    guard wantsRows, requests.isDerived else {
      return .listed(try requests.members(of: owners, results))
    }
    return .read(orders: try requests.readRows(results, body))
  }

  public func readingOneState(_ body: () throws -> Void) throws {
    try session.readingOneState(body)
  }

  private func plan(of change: BulkChange) throws -> StorePlan {
    let all = StorePlan(allOf: .change(change))
    let nothing = StorePlan(noneOf: .change(change))
    guard capabilities.batchDelete == .native else { return nothing }
    do {
      switch change {
      case .delete(let query):
        _ = try BulkDeletion(query, map)
        return all
      case .update(let query, let assignments):
        let update = try BulkUpdate(query, assignments, map)
        guard update.computes else { return all }
        let count = try session.read(isAlone: true) { try update.rowCount(on: $0) }
        return StorePlan(allOf: .change(change), rowCount: count)
      }
    } catch let error as DataStoreError
      where error == .unsupportedFeature || error == .invalidValue
    {
      return nothing
    }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try check(changes)
    guard let companion = SaveCompanion.current, companion.joins(saveOf: self) else {
      return try writer.save(changes)
    }
    let result = try writer.alone { transaction in
      let result = try writer.make(changes, in: &transaction)
      try companion.run { try run($0, in: &transaction) }
      return result
    }
    companion.finish()
    return result
  }

  public var latestSave: Int64? { position.latestSave }

  public func watch() throws -> (any StoreWatch)? {
    try SaveWatch(session, map.space, notifications)
  }

  /// Removes all rows and the history.
  public func erase() throws {
    let save = StoreEnvironment.current.makeSaveIdentifier()
    try session.write { connection in
      let first = SaveNumbers.statement(map.space, for: save)
      let numbers = try SaveNumbers(session.run([first], on: connection)[0], map.space)
      try numbers.check(map.space)
      let record = SaveRecord(
        space: map.space,
        save: save,
        number: numbers.save,
        nextKey: numbers.nextKey,
        isInHistory: false
      )
      try connection.commit(
        map.sortedTables.map { Statement("DELETE FROM \($0.name)") }
          + StoredHistory(map, connection).cutAll(at: numbers.save, save)
          + [SaveNumbers.record(save, numbers.save, map.space)]
          + record.statements(map.sortedTables.map { RowCheck(none: RowRequest($0, "")) }),
        followedBy: notifications?.statement()
      )
    }
  }
}
