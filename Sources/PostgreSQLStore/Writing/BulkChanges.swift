import PostgreSQLClient
import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Changes of all rows that match queries, by statements in the transaction of a save.
struct BulkChanges {
  private let map: StoreMap
  private let connection: Connection
  /// The number of the save.
  private let version: Int64

  private(set) var updated: [PersistentIdentifier] = []
  private(set) var deleted: [PersistentIdentifier] = []
  private var changes: [Change] = []
  /// The deleted rows of which the history keeps values.
  private var before: [DefaultSnapshot] = []

  /// A change of some rows of one entity.
  private struct Change {
    let entity: StoreEntity
    let keys: [Int64]
    let properties: [Int]
    let cause: StoreChange.Cause
  }

  init(_ map: StoreMap, _ connection: Connection, version: Int64) {
    self.map = map
    self.connection = connection
    self.version = version
  }

  /// Makes changes, in their order.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a change that SQL cannot express, and
  ///   ``DataStoreError/invalidValue`` for a value that cannot be computed.
  mutating func perform(_ changes: [BulkChange]) throws {
    for change in changes {
      switch change {
      case .delete(let query): try delete(BulkDeletion(query, map))
      case .update(let query, let assignments): try update(BulkUpdate(query, assignments, map))
      }
    }
  }

  private mutating func delete(_ deletion: BulkDeletion) throws {
    let reader = RecordReader(map: map, connection: connection)
    if deletion.isPreserved { before += try reader.records([deletion.rows]).flatMap(\.self) }
    let results = try connection.run([deletion.rows.count, deletion.rows.reportedDeletion])
    let rows = try identifiers(deletion.table, results[1])
    try requireAll(rows, of: Int(results[0].integer(0, 0) ?? 0))
    guard !rows.isEmpty else { return }
    deleted += rows
    let keys = rows.compactMap(\.integerKey)
    let referrers = BulkDeletion.referrers(to: keys, of: deletion.table, map)
    guard !referrers.isEmpty else { return }
    for (referrer, result) in zip(referrers, try connection.run(referrers.map(\.statement))) {
      try note(
        identifiers(referrer.table, result),
        changed: [referrer.table.columns[referrer.column].property],
        cause: .deleteRule
      )
    }
  }

  private mutating func update(_ update: BulkUpdate) throws {
    let counted = update.computes ? try update.rowCount(on: connection) : nil
    let reader = RecordReader(map: map, connection: connection)
    let spelled = try update.spelledRows.map { try reader.records([$0]).flatMap(\.self) } ?? []
    let statement = update.statement(version: version)
    let results = try connection.run((counted == nil ? [update.rows.count] : []) + [statement])
    var rows = try identifiers(update.table, results[results.count - 1])
    if !spelled.isEmpty {
      let records = try spelled.map { try update.applied(to: $0, version: version) }
      try connection.run(
        TableRows.statements(of: records, in: update.table, map, replacing: true)
      )
      rows += records.map(\.persistentIdentifier)
    }
    try requireAll(rows, of: counted ?? Int(results[0].integer(0, 0) ?? 0))
    try update.query.requireRows(rows.compactMap(\.integerKey))
    updated += rows
    try note(rows, changed: update.properties, cause: .program)
  }

  /// Throws unless a statement has changed as many rows as were counted before it.
  private func requireAll(_ rows: [PersistentIdentifier], of count: Int) throws {
    guard rows.count == count else {
      // A statement that was prepared with a rule keeps to it after the rule was dropped.
      connection.close()
      throw DataStoreError.discardedChanges(map.space, nil)
    }
  }

  /// Returns the checks that the rows are as the statements left them, without those that the rest
  /// of the save changes.
  func checks(except others: some Sequence<Int64>) -> [RowCheck] {
    let others = Set(others)
    let gone = deleted.tables(map, except: others)
    let changed = updated.tables(map, except: others.union(deleted.compactMap(\.integerKey)))
    return gone.flatMap { table, keys in
      [RowCheck(none: RowRequest(table, isIn: keys))]
        + BulkDeletion.referrers(to: keys, of: table, map).map { RowCheck(none: $0.rows) }
    } + changed.map { RowCheck(RowRequest($0, isIn: $1), count: $1.count, changed: $1.count) }
  }

  private func identifiers(
    _ table: EntityTable,
    _ result: QueryResult
  ) throws -> [PersistentIdentifier] {
    try RecordDecoder(map: map).identifiers(table, result)
  }

  private mutating func note(
    _ rows: [PersistentIdentifier],
    changed properties: [String],
    cause: StoreChange.Cause
  ) throws {
    for (name, rows) in rows.byEntity {
      let entity = try map.catalog.schema.requiredEntity(name)
      // An order that lost a row does not count.
      let indexes = properties.compactMap { entity.indexByName[$0] }
        .filter { !entity.properties[$0].isDerivedToMany }
      let keys = rows.compactMap(\.integerKey)
      changes.append(Change(entity: entity, keys: keys, properties: indexes, cause: cause))
    }
  }

  /// Adds the changes to the history of the save.
  func record(in recorder: inout HistoryRecorder) {
    for record in before {
      if let key = record.persistentIdentifier.integerKey { recorder.before[key] = record }
    }
    for change in changes {
      let (entity, properties, cause) = (change.entity, change.properties, change.cause)
      recorder.record(.update, change.keys, of: entity, properties, cause: cause)
    }
    for (name, rows) in deleted.byEntity {
      guard let entity = map.schema.entity(named: name) else { continue }
      recorder.record(.delete, rows.compactMap(\.integerKey), of: entity)
    }
  }
}

/// A deletion of all rows that match a query, which makes references to them null.
struct BulkDeletion {
  /// A column with references to the deleted rows.
  struct Referrer {
    let table: EntityTable
    /// The index of the column.
    let column: Int
    /// The rows that have such references.
    let rows: RowRequest
    /// The statement that removes the references, and returns the rows that had some.
    let statement: Statement
  }

  let rows: RowRequest
  /// Whether the history keeps values of the rows.
  let isPreserved: Bool

  var table: EntityTable { rows.table }

  /// - Throws: ``DataStoreError/unsupportedFeature`` if SQL cannot express the filter, or other delete
  ///   rules need to be applied.
  init(_ query: StoreQuery, _ map: StoreMap) throws {
    let plan = try QueryPlan(query, map)
    let family = map.schema.family(of: query.entity)
    guard plan.filter.rest.isEmpty, !DeleteRules(of: family, in: map.schema).ask else {
      throw DataStoreError.unsupportedBulkChange(of: query.entity)
    }
    rows = RowRequest(plan.table, plan.condition)
    isPreserved = family.contains { $0.properties.contains(where: \.isPreserved) }
  }

  /// Returns the columns that can refer to rows of a table.
  static func referrers(to keys: [Int64], of table: EntityTable, _ map: StoreMap) -> [Referrer] {
    let keys = BoundValue.list(keys.map(BoundValue.integer))
    let root = table.root
    return map.sortedTables.flatMap { table in
      table.columns.indices.compactMap { index in
        let column = table.columns[index]
        switch column.kind {
        case .reference(let entity) where entity.root == root:
          // Values that are unique together are equal to none if one of them is null.
          let unique = table.constraints.indices
            .filter { table.constraints[$0].properties.contains(column.property) }
            .map { SQLFragment("_u\(String($0)) = NULL") }
          let rows = RowRequest(table, "WHERE \(column.name) = ANY (\(bind: keys))")
          let statement = rows.update(["\(column.name) = NULL"] + unique)
          return Referrer(table: table, column: index, rows: rows, statement: statement)
        case .list(let entity) where entity.root == root:
          let members = "unnest(\(column.name)) WITH ORDINALITY AS l(member, position)"
          let left: SQLFragment =
            "ARRAY(SELECT l.member FROM \(members) WHERE l.member <> ALL (\(bind: keys)) ORDER BY l.position)"
          let rows = RowRequest(table, "WHERE \(column.name) && \(bind: keys)")
          let statement = rows.update(["\(column.name) = \(left)"])
          return Referrer(table: table, column: index, rows: rows, statement: statement)
        default: return nil
        }
      }
    }
  }
}

/// New values of attributes for all rows that match a query.
struct BulkUpdate {
  let properties: [String]
  private let plan: QueryPlan
  private var values: [SQLFragment] = []
  private var constants: [(property: String, value: StoreValue)] = []
  private var checks: [(property: String, holds: SQLFragment)] = []
  private var hasTexts = false

  var table: EntityTable { plan.table }

  var query: StoreQuery { plan.query }

  var rows: RowRequest { RowRequest(table, plan.condition) }

  /// - Throws: ``DataStoreError/unsupportedFeature`` if SQL cannot express the filter or a value, or
  ///   the values can be those of other rows.
  init(_ query: StoreQuery, _ assignments: [StoreAssignment], _ map: StoreMap) throws {
    plan = try QueryPlan(query, map)
    properties = assignments.map(\.property)
    guard plan.filter.rest.isEmpty, Set(properties).count == properties.count else {
      throw DataStoreError.unsupportedBulkChange(of: query.entity)
    }
    let entity = try map.catalog.schema.requiredEntity(query.entity)
    for assignment in assignments {
      guard let index = entity.indexByName[assignment.property],
        case .attribute(let type) = entity.properties[index].kind,
        let position = table.positions[entity.name]?[index],
        !table.constraints.contains(where: { $0.properties.contains(assignment.property) }),
        try add(assignment, to: table.columns[position], type, entity.properties[index])
      else {
        throw DataStoreError.unsupportedBulkChange(of: query.entity, assignment.property)
      }
    }
    // Rows with other spellings are changed in memory, where nothing is computed.
    guard !hasTexts || checks.isEmpty else {
      throw DataStoreError.unsupportedBulkChange(of: query.entity)
    }
  }

  /// Adds an assignment; returns `false` if SQL has no such value.
  private mutating func add(
    _ assignment: StoreAssignment,
    to column: EntityTable.Column,
    _ type: AttributeType,
    _ property: StoreProperty
  ) throws -> Bool {
    if case .constant(let value) = assignment.value {
      if case .string(let text) = value, !ExactText.isComposed(text) { return false }
      if case .integer(let number) = value, type.integers?.contains(number) == false {
        return false
      }
      if value.isNull {
        guard property.isOptional else { return false }
        values.append("\(column.name) = NULL")
      } else {
        guard case .ordered(let bound)? = PostgreSQLDialect().operand(value, type) else {
          return false
        }
        values.append("\(column.name) = \(bind: bound)")
      }
      constants.append((property.name, value))
      hasTexts = hasTexts || column.isText
      return true
    }
    guard let number = try plan.translator.number(assignment.value, as: type) else { return false }
    values.append("\(column.name) = CAST(\(number.text) AS int8)")
    checks.append((property.name, number.isThere))
    return true
  }

  /// Whether a new value depends on the row.
  var computes: Bool { !checks.isEmpty }

  /// Returns the number of rows.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` if the new value of a row cannot be computed, because
  ///   a number overflows.
  func rowCount(on connection: Connection) throws -> Int {
    let failures = checks.map {
      "min(CASE WHEN \($0.holds) THEN NULL ELSE _key END)" as SQLFragment
    }
    let columns = SQLFragment.list(["count(*)"] + failures)
    let sql: SQLFragment = "SELECT \(columns) FROM \(table.name) \(plan.condition)"
    let result = try connection.run(sql.statement)
    for (index, check) in checks.enumerated() {
      guard let key = try result.integer(0, index + 1) else { continue }
      throw DataStoreError.overflow(inRow: key, of: plan.query.entity, check.property)
    }
    return Int(try result.integer(0, 0) ?? 0)
  }

  /// The rows with strings that are not in composed form, or `nil` if no string is changed.
  var spelledRows: RowRequest? {
    hasTexts ? RowRequest(table, plan.condition("_spelling IS NOT NULL")) : nil
  }

  /// Returns the statement that changes all other rows, and returns their identifiers.
  func statement(version: Int64) -> Statement {
    let rows = RowRequest(table, hasTexts ? plan.condition("_spelling IS NULL") : plan.condition)
    return rows.update(values + ["_version = \(bind: .integer(version))"])
  }

  /// Returns a row with the new values.
  func applied(to record: DefaultSnapshot, version: Int64) throws -> DefaultSnapshot {
    var record = record
    for (property, value) in constants { record[property] = value }
    record.version = version
    return record
  }
}

extension [PersistentIdentifier] {
  fileprivate var byEntity: [String: [PersistentIdentifier]] {
    Dictionary(grouping: self, by: \.entityName)
  }

  /// Returns the keys by their tables, each one once, without some.
  fileprivate func tables(
    _ map: StoreMap,
    except others: Set<Int64>
  ) -> [(table: EntityTable, keys: [Int64])] {
    var keys: [String: Set<Int64>] = [:]
    for identifier in self {
      guard let key = identifier.integerKey, !others.contains(key),
        let root = map.schema.entity(named: identifier.entityName)?.root
      else { continue }
      keys[root, default: []].insert(key)
    }
    return keys.sorted { $0.key < $1.key }.compactMap { root, keys in
      map.tables[root].map { ($0, keys.sorted()) }
    }
  }
}
