import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// The execution of a query: a part that runs in SQL, and the evaluator for the rest.
struct QueryExecution {
  private let query: StoreQuery
  private let content: SourceContent
  private let plan: RowPlan
  private let filter: FilterTranslator.Split
  /// The order in SQL, or `nil` if the evaluator sorts.
  private let order: SQLFragment?
  /// The evaluator over the store's rows, which caches the rows that it looked up.
  let evaluator: QueryEvaluator<SnapshotRow>

  /// Plans the execution.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - content: The store.
  ///   - trustsValues: Whether a value that cannot be read is an error. Otherwise SQL would compare
  ///     values that the store replaces.
  /// - Throws: Errors of planning.
  init(_ query: StoreQuery, _ content: SourceContent, trustsValues: Bool) throws {
    self.query = query
    self.content = content
    plan = try content.plan(of: query.entity, includesSubentities: query.includesSubentities)
    let map = try content.catalog.entity(named: query.entity)
    let conditions = ConditionTranslator(
      map: map,
      catalog: content.catalog,
      state: TranslationState(
        CoreDataDialect(content),
        rootTable: map.table.name,
        isMarked: { _ in true }
      )
    )
    let isNative = trustsValues || query.identifiers != nil
    var filter = try FilterTranslator(conditions: conditions).split(isNative ? query.filter : nil)
    if !isNative, let whole = query.filter { filter.rest = [whole] }
    self.filter = filter
    order =
      trustsValues || query.sort.isEmpty
      ? try SortTranslator(conditions: conditions, map: map).order(query.sort) : nil
    let lookup = RowLookup(content)
    evaluator = QueryEvaluator(
      schema: content.schema,
      row: { try lookup.row($0) },
      members: lookup.members.members
    )
  }

  /// Whether SQL evaluates the whole filter.
  private var isExact: Bool { filter.rest.isEmpty }

  /// Calls a body with each row, in order.
  func forEach(_ body: (DefaultSnapshot) throws -> Void) throws {
    guard order != nil else {
      for row in try evaluator.evaluate(query, over: candidates()) { try body(row.record) }
      return
    }
    let test = try filter.remaining.map(evaluator.test)
    // The statement for the keys includes the window, if there is such a statement.
    var skipped = isExact && hasKeyStatement ? query.offset : 0
    var left = query.limit ?? .max
    guard left > 0 else { return }
    try forEachCandidate { row in
      if let test { guard let row = content.row(of: row), try test(row) else { return true } }
      guard skipped >= query.offset else {
        skipped += 1
        return true
      }
      try body(row)
      left -= 1
      return left > 0
    }
  }

  /// Returns the rows that pass SQL's condition, without the window of the query.
  func candidates() throws -> [SnapshotRow] {
    var result: [SnapshotRow] = []
    try forEachRow(of: filter.fragments.isEmpty ? nil : statement(byKey)) { row in
      if let row = content.row(of: row) { result.append(row) }
      return true
    }
    return result
  }

  /// Returns the number of rows, or `nil` if the evaluator filters them.
  func count() throws -> Int? {
    guard isExact else { return nil }
    let rest = max(try content.count(plan, filter.fragments) - max(query.offset, 0), 0)
    return min(rest, max(query.limit ?? rest, 0))
  }

  /// Returns the identifiers of the rows, or `nil` if the evaluator filters or sorts them.
  func identifiers() throws -> [PersistentIdentifier]? {
    guard isExact, let order else { return nil }
    let statement = try content.reader.prepare(windowed(statement(order)))
    var result: [PersistentIdentifier] = []
    while try statement.step() {
      guard let key = statement.integer(0), let number = statement.integer(1) else {
        throw DataStoreError(.storeDamaged, "a row has no key", file: content.reader.path)
      }
      result.append(try content.identifier(key, number: number, rank: plan.rank))
    }
    return result
  }

  /// Returns a description of the query's execution.
  func explanation() throws -> StoreExplanation {
    var steps: [String] = []
    if !isExact { steps.append("the evaluator tests the rows that SQL returns") }
    if order == nil { steps.append("the evaluator sorts the rows in memory") }
    if steps.isEmpty { steps.append("rows sorted by SQL") }
    let statement = hasKeyStatement ? statement(order ?? byKey).text : plan.select(keys: nil)
    return StoreExplanation(
      store: "CoreDataStore",
      nativeFilter: filter.judged,
      remainingFilter: filter.remaining,
      sortsNatively: order != nil,
      statements: [statement],
      steps: steps,
      rowsExamined: .rows(try content.count(plan, filter.fragments))
    )
  }

  /// Whether a statement reads the keys of the rows first.
  private var hasKeyStatement: Bool { !filter.fragments.isEmpty || !query.sort.isEmpty }

  private let byKey: SQLFragment = "Z_PK"

  /// Returns the statement for the keys of the rows that pass SQL's conditions.
  private func statement(_ order: SQLFragment) -> SQLFragment {
    plan.selectKeys(filter.fragments, order: order)
  }

  private func forEachCandidate(_ body: (DefaultSnapshot) throws -> Bool) throws {
    guard hasKeyStatement, let order else { return try forEachRow(of: nil, body) }
    let keys = statement(order)
    try forEachRow(of: isExact ? windowed(keys) : keys, body)
  }

  private func windowed(_ statement: SQLFragment) -> SQLFragment {
    let limit = query.limit.map { max($0, 0) } ?? -1
    return "\(statement) LIMIT \(String(limit)) OFFSET \(String(max(query.offset, 0)))"
  }

  /// Reads the rows whose keys a statement returns, or all for `nil`.
  private func forEachRow(
    of statement: SQLFragment?,
    _ body: (DefaultSnapshot) throws -> Bool
  ) throws {
    guard let statement else { return try content.rows(plan, keys: nil, body) }
    let rows = try content.reader.prepare(statement)
    var found: [Int64] = []
    while try rows.step() { found.append(rows.integer(0) ?? 0) }
    try content.rows(plan, keys: found, body)
  }
}
