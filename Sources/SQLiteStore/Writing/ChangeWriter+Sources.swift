import StoreProtocol

/// Rows written straight from the objects that have their values.
///
/// Only entities come here whose plans say that a row is one statement
/// (``WritePlan/takesSources``): no constraint, reference, index of words or file is theirs.
extension ChangeWriter {
  func insert(_ source: any RecordSource) throws {
    let plan = try catalog.writePlan(of: source.entityName)
    let first = try takeKeys(source.count)
    noteFirstKey(first)
    try connection.withStatement(plan.insertion) { statement in
      let row = RowBinder(self, plan, statement, columns: plan.columns, from: plan.firstColumn)
      for position in 0..<source.count {
        try row.bind(position, of: source) {
          if let name = plan.entityName { try statement.bind(name, at: 2) }
          try statement.bind(version, at: plan.firstColumn - 1)
        }
        try statement.bind(first + Int64(position), at: 1)
        try statement.run()
      }
    }
    recorder?.insert(first..<first + Int64(source.count), of: source.entityName)
  }

  func update(_ source: any UpdateSource) throws {
    let plan = try catalog.writePlan(of: source.entityName)
    let columns = source.properties.compactMap(plan.column(of:))
    let keys = source.keys
    try noteBefore(
      keys.lazy.map { PersistentIdentifier(scope: plan.scope, key: .integer($0)) }
    )
    try connection.withStatement(plan.change(of: columns)) { statement in
      let row = RowBinder(self, plan, statement, columns: columns, from: 1)
      for (position, key) in keys.enumerated() {
        try row.bind(position, of: source) {
          try statement.bind(version, at: columns.count + 1)
        }
        try statement.bind(key, at: columns.count + 2)
        try statement.run()
        if connection.changedRowCount == 0 {
          throw missing(PersistentIdentifier(scope: plan.scope, key: .integer(key)))
        }
      }
    }
    recorder?.update(keys, of: plan.map.entity, source.properties)
  }
}
