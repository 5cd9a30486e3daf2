import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// Executes queries on one connection, each on one state of the database.
///
/// A statement sees one state by itself. A query that needs more than its cached statement takes a
/// snapshot for them.
struct QueryReader {
  let catalog: Catalog
  let connection: Connection

  var references: ReferenceReader { ReferenceReader(catalog: catalog, connection: connection) }
  private var members: MemberReader { MemberReader(catalog: catalog, connection: connection) }

  /// Returns the rows of a query as records, including what join tables list.
  func records(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    var records = try recordsWithoutMembers(query)
    guard !catalog.map.joins.isEmpty else { return records }
    let byEntity = Dictionary(grouping: records.indices) {
      records[$0].persistentIdentifier.entityName
    }
    for (entity, positions) in byEntity {
      for (index, join) in try catalog.map.entity(named: entity).joins {
        let keys = positions.compactMap { records[$0].persistentIdentifier.integerKey }
        let found = try members.members(in: join, owners: keys)
        for position in positions {
          let key = records[position].persistentIdentifier.integerKey ?? 0
          records[position].values[index] = .identifiers(found[key] ?? [])
        }
      }
    }
    return records
  }

  /// Returns the rows of a query as records without what join tables list.
  fileprivate func recordsWithoutMembers(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    var found: [DefaultSnapshot] = []
    var query = query
    // Records are complete.
    query.properties = nil
    try read(query) { found.append(try $0.record()) }
    return found
  }

  /// Reads rows in the order of the query, without creating records if SQL has the order.
  func read(
    _ query: StoreQuery,
    _ body: (RowReader) throws -> Void
  ) throws {
    if let keys = query.plainKeys { return try read(keys, of: query) { try body($0) } }
    if let cached = connection.shapes.statement(of: query, .rows),
      try read(cached, of: query, body)
    {
      return
    }
    try planned(query) { try read($0, body) }
  }

  /// Runs a body with the plan of a query, on one state.
  private func planned<Result>(
    _ query: StoreQuery,
    _ body: (QueryPlan) throws -> Result
  ) throws -> Result {
    try connection.snapshot {
      try body(QueryPlan(query, catalog: catalog, connection: connection))
    }
  }

  private func read(_ plan: QueryPlan, _ body: (RowReader) throws -> Void) throws {
    if plan.isNative {
      let rows = plan.wanted
      let sql = plan.selection(SQLFragment(rows.selection), isWindowed: true)
      let statement = QueryStatement(sql: sql, rows: rows)
      keep(statement, of: plan, .rows)
      _ = try read(statement, of: plan.query, body)
      return
    }
    if plan.order != nil { return try scan(plan) { try body($0) } }
    let reader = SnapshotReader(schema: catalog.map.schema)
    for record in try sorted(plan) {
      try reader.move(to: record)
      try body(reader)
    }
  }

  func identifiers(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    if let cached = connection.shapes.statement(of: query, .keys), let found = try keys(cached) {
      return found
    }
    return try planned(query, identifiers)
  }

  private func identifiers(_ plan: QueryPlan) throws -> [PersistentIdentifier] {
    guard plan.order != nil else { return try sorted(plan).map(\.persistentIdentifier) }
    guard plan.rest == nil else {
      var found: [PersistentIdentifier] = []
      try scan(plan) { found.append($0.identifier) }
      return found
    }
    let table = plan.rows.map.table
    let head: SQLFragment = "SELECT \(table.identifier) FROM \(table.sql)"
    let statement = QueryStatement(sql: plan.selection(head, isWindowed: true), rows: plan.rows)
    keep(statement, of: plan, .keys)
    return try keys(statement) ?? []
  }

  func count(_ query: StoreQuery) throws -> Int {
    if let cached = connection.shapes.statement(of: query, .count), let found = try count(cached) {
      return found
    }
    return try planned(query, count)
  }

  private func count(_ plan: QueryPlan) throws -> Int {
    guard plan.rest == nil else {
      var count = 0
      try scan(plan) { _ in count += 1 }
      return count
    }
    let statement = QueryStatement(sql: plan.count(), rows: plan.rows)
    keep(statement, of: plan, .count)
    return try count(statement) ?? 0
  }
}

extension QueryReader {
  /// Steps through the rows of a plan, and applies the evaluator's condition and the window.
  func scan(
    _ plan: QueryPlan,
    isWindowed: Bool = true,
    _ body: (StatementRowReader) throws -> Void
  ) throws {
    let sql = plan.selection(
      SQLFragment(plan.rows.selection),
      isWindowed: isWindowed && plan.rest == nil
    )
    try connection.withStatement(sql) { statement in
      let reader = StatementRowReader(
        statement,
        plan: plan.rows,
        references: references,
        wanted: plan.query.properties ?? []
      )
      let test = try plan.rest.map(rowTest)
      let isCut = isWindowed && test != nil
      var skipped = isCut ? max(plan.query.offset, 0) : 0
      var left = isCut ? plan.query.limit.map { max($0, 0) } ?? .max : .max
      while left > 0, try statement.step() {
        try reader.move()
        guard try test?(reader, reader.identifier) != false else { continue }
        guard skipped == 0 else {
          skipped -= 1
          continue
        }
        left -= 1
        try body(reader)
      }
    }
  }

  /// Reads rows by identity alone, with the statement of the plan.
  private func read(
    _ keys: [Int64],
    of query: StoreQuery,
    _ body: (StatementRowReader) throws -> Void
  ) throws {
    let whole = try catalog.plan(of: query.entity)
    let plan = query.properties.map(whole.reading) ?? whole
    let sql = keys.count == 1 ? plan.selectionByKey : plan.selectionByKeys
    try connection.withStatement(sql) { statement in
      try statement.bind(keys: keys)
      let hasRow = try statement.step()
      try forEachRow(of: statement, plan, wanted: query.properties, hasRow: hasRow, body)
    }
  }

  /// Calls a function with each row of a statement that is at its first row, if it has any.
  func forEachRow(
    of statement: Statement,
    _ plan: RowPlan,
    wanted: [String]?,
    hasRow: Bool,
    _ body: (StatementRowReader) throws -> Void
  ) throws {
    let reader = StatementRowReader(
      statement,
      plan: plan,
      references: references,
      wanted: wanted ?? []
    )
    var hasRow = hasRow
    while hasRow {
      try reader.move()
      try body(reader)
      hasRow = try statement.step()
    }
  }

  func evaluator() -> QueryEvaluator<StoredRow> {
    let lookup = RowLookup(reader: self)
    return QueryEvaluator(
      schema: catalog.map.schema,
      row: { try lookup.row(of: $0) },
      members: { row, index in
        let property = row.entity.properties[index].name
        let found = try members.members(
          of: property,
          in: row.entity.name,
          owners: [row.identifier]
        )
        return found[row.identifier] ?? []
      }
    )
  }

  private func rowTest(
    _ filter: QueryExpression
  ) throws -> (StatementRowReader, PersistentIdentifier) throws -> Bool {
    let test = try evaluator().test(filter)
    let failure = EvaluationFailure()
    return { reader, identifier in
      let holds = try test(StoredRow(current: reader, identifier, failure))
      try failure.check()
      return holds
    }
  }

  /// Returns the rows of a plan whose order SQL cannot express.
  private func sorted(_ plan: QueryPlan) throws -> [DefaultSnapshot] {
    var rows: [StoredRow] = []
    try scan(plan, isWindowed: false) { rows.append(StoredRow(try $0.record(), $0.entity)) }
    let query = plan.query
    let sorted = try evaluator().sorted(rows, by: query.sort).compactMap(\.record)
    let rest = sorted.dropFirst(max(query.offset, 0))
    return query.limit.map { Array(rest.prefix(max($0, 0))) } ?? Array(rest)
  }
}

extension StoreQuery {
  /// The keys, in order, of a query that only requests rows by identity.
  fileprivate var plainKeys: [Int64]? {
    guard sort.isEmpty, offset <= 0, limit == nil, includesSubentities, let identifiers else {
      return nil
    }
    return identifiers.compactMap(\.integerKey)
  }
}

/// A cache of the rows that the evaluator requests by identity.
private final class RowLookup {
  private let reader: QueryReader
  private var cached: [Int64: StoredRow] = [:]

  init(reader: QueryReader) {
    self.reader = reader
  }

  func row(of identifier: PersistentIdentifier) throws -> StoredRow? {
    guard let key = identifier.integerKey else { return nil }
    if let row = cached[key] { return row }
    let root = try reader.catalog.map.entity(named: identifier.entityName).table.name
    let query = StoreQuery.rows([identifier], of: root)
    guard let record = try reader.recordsWithoutMembers(query).first else { return nil }
    let entity = try reader.catalog.map.entity(named: record.persistentIdentifier.entityName)
    let row = StoredRow(record, entity.entity)
    cached[key] = row
    return row
  }
}
