import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Performs changes of the schema on a connection, in the open transaction.
///
/// SQLite must not enforce foreign keys meanwhile: tables whose rows have moved are removed.
struct StructureRun {
  /// The number of rows that are copied between two checks for cancellation.
  private static let rowsAtOnce: Int64 = 20_000

  let connection: Connection
  let identifier: String
  let file: String?
  let progress: StructureProgress
  private(set) var report = StructureReport()
  /// The violations that prevented the last change.
  private(set) var violations: [SchemaViolation] = []
  private var rows = 0
  private var total = 0

  init(
    on connection: Connection,
    identifier: String,
    file: String?,
    progress: @escaping StructureProgress
  ) {
    self.connection = connection
    self.identifier = identifier
    self.file = file
    self.progress = progress
  }

  /// Applies changes to the file, one after the other.
  ///
  /// - Returns: The fingerprint of the last schema, or `nil` if there are no changes.
  /// - Throws: ``DataStoreError/schemaMismatch`` with the first violation; ``violations`` has all
  ///   of them. The transaction must be rolled back then.
  mutating func run(_ changes: [StructureChange], from schema: StoreSchema) throws -> String? {
    let renaming = HistoryRenaming(from: schema, through: changes.map(\.schema))
    var schema = schema
    var fingerprint: String?
    for change in changes {
      fingerprint = try run(change, from: schema)
      schema = change.schema
    }
    try HistoryWriter(connection: connection).rename(renaming)
    return fingerprint
  }

  private mutating func run(_ change: StructureChange, from schema: StoreSchema) throws -> String {
    let marks = try FileColumns.marks(on: connection)
    let old = try SchemaMap(schema, fileMarks: marks)
    let new = try SchemaMap(change.schema, fileMarks: marks)
    let plan = try StructurePlan(from: old, to: new, change, file: file)
    let checks = StructureChecks(
      plan: plan,
      change: change,
      connection: connection,
      identifier: identifier
    )
    violations = try checks.violations()
    try throwFirstViolation(plan)
    try VersionColumns(connection: connection).add(to: old)
    report.rowsRemoved += try countRemovedRows(plan)
    try perform(plan)
    try CarriedMarks(plan: plan).carry(on: connection)
    try makeIndexes(plan)
    try throwFirstViolation(plan)
    try updateSearchIndexes(plan)
    let fingerprint = try Metadata.set(change.schema, on: connection)
    // The result must be what the next open expects.
    try SchemaInspection(of: connection).check(SchemaMap(change.schema))
    return fingerprint
  }

  private func throwFirstViolation(_ plan: StructurePlan) throws {
    if let first = violations.first { throw first.error(plan.difference, file: file) }
  }

  private mutating func perform(_ plan: StructurePlan) throws {
    try connection.setInitialValues(plan.initialValues)
    rows = 0
    total = try plan.steps.reduce(0) { sum, step in
      try sum + (step.source.map { try count($0) } ?? 0)
    }
    try progress(0, total)
    for step in plan.steps {
      report.statements.append(step.sql)
      if let source = step.source {
        try runInBatches(step, source)
      } else {
        let count = try run(step.sql, step.values)
        if step.sql.hasPrefix("UPDATE") { report.rowsWritten += count }
      }
      try progress(rows, total)
    }
    // Rows of a table with several entities were counted once for each of them.
    try progress(total, total)
  }

  private func count(_ table: TableMap, _ condition: String = "") throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM \(table.sql)\(condition)") ?? 0)
  }

  /// Counts the rows of the entities that the new schema lacks.
  private func countRemovedRows(_ plan: StructurePlan) throws -> Int {
    try plan.difference.removedEntities.reduce(0) { sum, name in
      let table = try plan.old.entity(named: name).table
      return try sum + count(table, whereClause([table.isExactly(name)]))
    }
  }

  private func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
    let statement = try connection.prepare(sql)
    try statement.bind(values)
    try statement.run()
    return connection.changedRowCount
  }

  private mutating func runInBatches(_ step: StructureStep, _ source: TableMap) throws {
    var last = Int64.min
    while true {
      let sql =
        "SELECT \(source.key) FROM \(source.sql) WHERE \(source.key) > ? ORDER BY \(source.key) "
        + "LIMIT 1 OFFSET \(Self.rowsAtOnce - 1)"
      let end = try connection.first(sql, .integer(last)) { $0.integer(at: 0) } ?? .max
      let count = try run(step.sql, step.values + [.integer(last), .integer(end)])
      report.rowsWritten += count
      rows += count
      guard end < .max else { return }
      last = end
      try progress(rows, total)
    }
  }
}

extension StructureRun {
  private mutating func makeIndexes(_ plan: StructurePlan) throws {
    let before = Set(try plan.old.indexes())
    for index in try plan.new.indexes() {
      // A rebuilt table has lost its indexes; another keeps those that remain.
      let sql = index.sql.replacing("INDEX ", with: "INDEX IF NOT EXISTS ", maxReplacements: 1)
      if try make(sql) {
        if !before.contains(index) { report.statements.append(index.sql) }
      } else {
        try noteEqualValues(of: index, plan)
      }
    }
    try checkInexactValues(plan)
  }

  /// Creates an index, unless rows have equal values, and returns whether it did.
  private func make(_ sql: String) throws -> Bool {
    do throws(SQLiteError) {
      try connection.execute(sql)
    } catch {
      guard error.isUniqueViolation else { throw error }
      return false
    }
    return true
  }

  private mutating func noteEqualValues(of index: IndexMap, _ plan: StructurePlan) throws {
    for table in plan.new.tables {
      for constraint in try plan.new.constraints(of: table) where constraint.index == index {
        try noteEqualValues(of: constraint, table, plan)
      }
    }
  }

  private mutating func noteEqualValues(
    of constraint: ConstraintMap,
    _ table: TableMap,
    _ plan: StructurePlan
  ) throws {
    let columns = constraint.columns.map(\.sql).joined(separator: ", ")
    let condition = whereClause(
      [try plan.new.entity(named: constraint.entity).entityCondition]
        + constraint.columns.uniqueTerms.map { "\($0) IS NOT NULL" }
    )
    let groups =
      "SELECT max(\(table.key)) AS example, count(*) - 1 AS surplus FROM \(table.sql)\(condition) "
      + "GROUP BY \(columns) HAVING count(*) > 1"
    try connection.withStatement("SELECT sum(surplus), min(example) FROM (\(groups))") {
      guard try $0.step(), $0.integer(at: 0) > 0 else { return }
      note(constraint, count: Int($0.integer(at: 0)), example: $0.integer(at: 1))
    }
  }

  private mutating func note(_ constraint: ConstraintMap, count: Int, example: Int64) {
    violations.append(
      .equal(
        constraint.properties,
        of: constraint.entity,
        count: count,
        example: PersistentIdentifier(.integer(example), of: constraint.entity, in: identifier)
      )
    )
  }

  /// Compares values as Swift does if SQL cannot detect that they are equal.
  private mutating func checkInexactValues(_ plan: StructurePlan) throws {
    let added = plan.difference.steps.filter { $0.kind == .constraintAdded }.map(\.entity)
    for table in plan.new.tables {
      for constraint in try plan.new.constraints(of: table)
      where constraint.hasInexactColumns
        && (added.contains(constraint.entity) || plan.filledTables.contains(table.name))
      {
        if try constraint.isMarked(on: connection) {
          try compareValues(of: constraint)
        }
      }
    }
  }

  private mutating func compareValues(of constraint: ConstraintMap) throws {
    var found: (count: Int, example: Int64) = (0, 0)
    try constraint.forEachRepeat(on: connection) { key, _ in
      found = (found.count + 1, key)
      return true
    }
    if found.count > 0 { note(constraint, count: found.count, example: found.example) }
  }

  private func updateSearchIndexes(_ plan: StructurePlan) throws {
    let indexing = SearchIndexing(connection: connection)
    let touched = plan.rebuilt + plan.new.tables.filter { plan.filledTables.contains($0.name) }
    let stale = touched.flatMap(\.searchIndexes).filter(plan.old.searchIndexes.map(\.name).contains)
    let present = try indexing.live(among: stale)
    try indexing.update(to: plan.new, from: plan.old)
    for index in stale where present.contains(index.name) { try indexing.refill(index) }
  }
}

extension [String] {
  fileprivate func contains(_ index: SearchIndexMap) -> Bool { contains(index.name) }
}
