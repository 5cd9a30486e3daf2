import StoreFiles
import StoreHelpers
import StoreProtocol

/// Converts the rows of a store from one schema to another, all of them in memory.
struct StructureConversion {
  /// The number of rows that are converted between two progress calls.
  private static let rowsAtOnce = 20_000

  let storeIdentifier: String
  let file: String
  let valueFiles: ValueFiles
  var progress: StructureProgress = { _, _ in }

  /// Returns the rows under the newest schema; all given rows must be loaded.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the obstacle.
  func converted(
    _ state: StoreState,
    from schema: StoreSchema,
    through changes: [StructureChange]
  ) throws -> StoreState {
    var state = state
    var schema = schema
    for change in changes {
      let difference = SchemaDifference(from: schema, to: change.schema)
      if !change.leavesValuesToCode { try difference.requireLightweight(file: file) }
      let (next, violations) = try converted(state, difference, change)
      if let first = violations.first { throw first.error(difference, file: file) }
      state = next
      schema = change.schema
    }
    return state
  }

  /// Returns the rows under another schema, and the violations that prevent the change.
  func converted(
    _ state: StoreState,
    _ difference: SchemaDifference,
    _ change: StructureChange
  ) throws -> (StoreState, [SchemaViolation]) {
    try difference.new.validate()
    let old = TableMap(difference.old)
    var violations: [SchemaViolation] = []
    if !change.removesEntities {
      violations = difference.removedEntities.compactMap { abandoned($0, state, old) }
    }
    let mappings = RowMapping.mappings(of: difference, fillsMissing: change.leavesValuesToCode)
    let byName = Dictionary(mappings.map { ($0.new.name, $0) }, uniquingKeysWith: { a, _ in a })
    let total = state.tables.reduce(0) { $0 + ($1.table?.count ?? 0) }
    var done = 0
    try progress(done, total)
    var unchanged: Set<String> = []
    var next = state
    next.tables = try difference.new.entities.map { entity in
      var table = Table(entity: entity, scope: scope(entity.name))
      if let mapping = byName[entity.name],
        let source = state.tables[try old.table(of: entity.name)].table
      {
        if mapping.old == entity, difference.removedEntities.isEmpty {
          // The entity's rows do not change.
          table = source
          unchanged.insert(entity.name)
        } else {
          var rows = RowConversion(mapping, source, state, old, difference, self)
          try rows.convert(into: &table, every: Self.rowsAtOnce) {
            try progress(done + $0, total)
          }
          violations += rows.problems.violations
        }
        done += source.count
        try progress(done, total)
      } else {
        unchanged.insert(entity.name)
      }
      return StoredTable(
        entity: entity,
        scope: scope(entity.name),
        format: RowFormat(entity),
        content: .rows(table)
      )
    }
    next.source = []
    next.uniqueRows = []
    violations += equalValues(next, TableMap(difference.new), without: unchanged)
    return (next, violations)
  }

  func scope(_ entity: String) -> PersistentIdentifier.Scope {
    PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: entity)
  }

  private func abandoned(
    _ name: String,
    _ state: StoreState,
    _ map: TableMap
  ) -> SchemaViolation? {
    guard let index = try? map.table(of: name), let table = state.tables[index].table,
      table.count > 0
    else { return nil }
    let example = (0..<table.slotCount).first(where: table.isAlive).map(table.identifier)
    return .abandoned(name, count: table.count, example: example)
  }

  /// Returns violations of constraints, for those that apply to a changed entity.
  private func equalValues(
    _ state: StoreState,
    _ map: TableMap,
    without unchanged: Set<String>
  ) -> [SchemaViolation] {
    let concerned = Set(
      zip(state.tables, map.tableConstraints)
        .filter { !unchanged.contains($0.0.entity.name) }
        .flatMap { $0.1.map(\.number) }
    )
    var seen = map.constraints.map { _ in Set<UniqueKey>() }
    var found: [Int: (count: Int, example: PersistentIdentifier)] = [:]
    for (stored, constraints) in zip(state.tables, map.tableConstraints) {
      guard let table = stored.table else { continue }
      for constraint in constraints where concerned.contains(constraint.number) {
        for slot in 0..<table.slotCount where table.isAlive(slot) {
          guard let key = UniqueKey(table, slot, at: constraint.properties),
            !seen[constraint.number].insert(key).inserted
          else { continue }
          let before = found[constraint.number]
          found[constraint.number] =
            ((before?.count ?? 0) + 1, before?.example ?? table.identifier(slot))
        }
      }
    }
    return found.sorted { $0.key < $1.key }.map { number, rows in
      let constraint = map.constraints[number]
      return .equal(
        constraint.properties,
        of: constraint.entity,
        count: rows.count,
        example: rows.example
      )
    }
  }
}
