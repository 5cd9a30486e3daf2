import SQLTranslation
import StoreProtocol

/// The statements that migrate a file from one schema to another, computed before anything runs.
///
/// A table is kept if every row keeps its values in their columns; columns may be added to it. Any
/// other table is rebuilt under another name, row by row from the tables that stored its entities,
/// and then replaces the old one. Keys, versions, and all tables outside the schema are unchanged.
struct StructurePlan {
  let old: SchemaMap
  let new: SchemaMap
  let difference: SchemaDifference
  let mappings: [String: RowMapping]
  /// The statements, in order, before the creation of indexes.
  private(set) var steps: [StructureStep] = []
  /// The tables that are rebuilt.
  private(set) var rebuilt: [TableMap] = []
  /// The names of the kept tables in which default values replace nulls.
  private(set) var filledTables: Set<String> = []
  /// The expressions that statements evaluate for each row.
  private(set) var initialValues: [() throws -> SQLValue] = []
  /// The join tables that are rebuilt.
  private var rebuiltJoins: [JoinMap] = []

  /// Computes the statements.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the change needs code.
  init(from old: SchemaMap, to new: SchemaMap, _ change: StructureChange, file: String?) throws {
    self.old = old
    self.new = new
    difference = SchemaDifference(from: old.schema, to: new.schema)
    if !change.leavesValuesToCode { try difference.requireLightweight(file: file) }
    let list = RowMapping.mappings(of: difference, fillsMissing: change.leavesValuesToCode)
    mappings = Dictionary(firstOf: list.map { ($0.new.name, $0) })
    try build()
  }

  private mutating func build() throws {
    let before = try old.indexes()
    let after = Set(try new.indexes())
    for index in before where !after.contains(index) {
      add("DROP INDEX \(SQLIdentifier.quotedComposite(index.name))")
    }
    for table in new.tables { try place(table) }
    for join in new.joins { try place(join) }
    removeOldTables()
    for table in rebuilt { add("ALTER TABLE \(table.temporaryName) RENAME TO \(table.sql)") }
    for join in rebuiltJoins { add("ALTER TABLE \(join.temporaryName) RENAME TO \(join.sql)") }
    try forgetAbsentRows()
  }

  mutating func add(_ sql: String, _ values: [SQLValue] = [], from source: TableMap? = nil) {
    steps.append(StructureStep(sql: sql, values: values, source: source))
  }

  /// Adds an expression of a declaration, and returns the SQL that evaluates it.
  mutating func call(_ value: InitialValue, as type: AttributeType) -> String {
    initialValues.append { try SQLValue(value() ?? .null, as: type) }
    return InitialValueFunction.call(initialValues.count - 1)
  }

  mutating func noteFilled(_ table: TableMap) { filledTables.insert(table.name) }

  private mutating func place(_ table: TableMap) throws {
    if let existing = old.table(named: table.name), try isKept(table, existing) {
      try extend(table, existing)
    } else if old.table(named: table.name) == nil,
      table.entities.allSatisfy({ mappings[$0.name] == nil }),
      !old.tables.contains(where: {
        SQLIdentifier.folded($0.name) == SQLIdentifier.folded(table.name)
      })
    {
      add(new.creation(of: table))
    } else {
      rebuilt.append(table)
      try rebuild(table)
    }
  }

  private mutating func place(_ join: JoinMap) throws {
    let sources = try joinSources(of: join)
    let isKept =
      old.joins.contains(join) && old.creation(of: join) == new.creation(of: join)
      && Set(sources) == [.join(join)]
    if isKept { return }
    guard old.joins.contains(where: { $0.name == join.name }) || !sources.isEmpty else {
      return add(new.creation(of: join))
    }
    rebuiltJoins.append(join)
    add(new.creation(of: join, under: join.temporaryName))
    var copied: Set<JoinSource> = []
    for source in sources where copied.insert(source).inserted { try fill(join, from: source) }
  }

  private mutating func removeOldTables() {
    for join in old.joins where !new.joins.contains(where: { $0.name == join.name }) {
      add("DROP TABLE \(join.sql)")
    }
    for join in rebuiltJoins where old.joins.contains(where: { $0.name == join.name }) {
      add("DROP TABLE \(join.sql)")
    }
    let kept = Set(new.tables.map(\.name)).subtracting(rebuilt.map(\.name))
    for table in old.tables where !kept.contains(table.name) { add("DROP TABLE \(table.sql)") }
  }
}
