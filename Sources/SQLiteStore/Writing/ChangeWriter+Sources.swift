import StoreHelpers
import StoreProtocol

/// Rows written directly from the objects that have their values.
///
/// It handles only entities whose plans say that a row is one statement
/// (``WritePlan/readsSources``). These have no constraint, join table, index of words or file.
extension ChangeWriter {
  /// Writes new rows, whose keys were assigned before; those of one entity are written one after
  /// the other.
  func insert(_ sources: [any RowProducer]) throws {
    var indexes: [String: [Int]] = [:]
    for (index, source) in sources.enumerated() {
      indexes[source.entityName, default: []].append(index)
    }
    let firstKeys = result.firstKeys
    for (name, indexes) in indexes.sorted(by: { $0.value[0] < $1.value[0] }) {
      try insert(indexes.map { (sources[$0], firstKeys[$0]) }, try catalog.writePlan(of: name))
    }
  }

  private func insert(_ sources: [(any RowProducer, Int64)], _ plan: WritePlan) throws {
    try connection.withStatement(plan.insertion) { statement in
      let row = RowBinder(self, plan, statement, columns: plan.columns, from: plan.firstColumn)
      for (source, firstKey) in sources {
        for position in 0..<source.count {
          try row.bind(position, of: source) {
            if let name = plan.entityName { try statement.bind(name, at: 2) }
            try statement.bind(version, at: plan.firstColumn - 1)
          }
          try statement.bind(firstKey + Int64(position), at: 1)
          try statement.run()
        }
      }
    }
    for (source, firstKey) in sources {
      let keys = firstKey..<firstKey + Int64(source.count)
      recorder?.insert(keys, of: source.entityName)
      noteWritten(keys, plan)
    }
  }

  func update(_ source: any UpdateProducer) throws {
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
          throw VersionCheck.missing(PersistentIdentifier(scope: plan.scope, key: .integer(key)))
        }
      }
    }
    recorder?.update(keys, of: plan.map.entity, source.properties)
  }
}

/// The rows to which references of sources refer.
extension ChangeWriter {
  /// Returns the number of a row, or `nil` if it has none in this store.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a new row that the save does not store.
  func number(
    of key: PersistentIdentifier.Key,
    in property: Int,
    of plan: WritePlan
  ) throws -> Int64? {
    switch key {
    case .integer(let number): return number
    case .text: return nil
    case .temporary(let new):
      guard let number = newKeys[new] else { throw unsaved(plan.map.entity, property) }
      return number
    }
  }

  /// Returns the numbers of the related objects of a relationship, or `nil` if they are in that
  /// order anyway.
  func order(
    of members: [PersistentIdentifier.Key],
    in property: Int,
    of plan: WritePlan
  ) throws -> [Int64]? {
    var keys: [Int64] = []
    var isRising = true
    for member in members {
      guard let key = try number(of: member, in: property, of: plan) else { continue }
      if let last = keys.last, last >= key { isRising = false }
      keys.append(key)
    }
    return isRising ? nil : keys
  }
}
