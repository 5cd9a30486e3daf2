import StoreProtocol

extension ReadView {
  /// The rows that answer a query, in order.
  func rows(_ query: StoreQuery) throws -> [StoredRow] {
    let family =
      query.includesSubentities
      ? try map.family(of: query.entity) : [try map.table(of: query.entity)]
    for index in family { try prepare(index) }
    if let identifiers = query.identifiers {
      return try answer(query, over: self.rows(identifiers, in: family), isFiltered: true)
    }
    return try answer(query, over: candidates(query, in: family), isFiltered: false)
  }

  /// The number of rows that answer a query.
  func count(_ query: StoreQuery) throws -> Int {
    if query.filter == nil {
      let family =
        query.includesSubentities
        ? try map.family(of: query.entity) : [try map.table(of: query.entity)]
      let all = try family.reduce(0) { try $0 + load($1).count }
      let rest = max(0, all - max(query.offset, 0))
      return query.limit.map { min(rest, max($0, 0)) } ?? rest
    }
    var unsorted = query
    unsorted.sort = []
    return try rows(unsorted).count
  }

  private func answer(
    _ query: StoreQuery,
    over rows: [StoredRow],
    isFiltered: Bool
  ) throws -> [StoredRow] {
    if query.filter == nil, query.sort.isEmpty { return window(query, rows) }
    var query = query
    if isFiltered { query.filter = nil }
    let evaluator = QueryEvaluator<StoredRow>(
      schema: map.schema,
      row: { try self.find($0) },
      members: { try self.members(of: $1, owner: $0) }
    )
    return try evaluator.answer(query, over: rows)
  }

  private func window(_ query: StoreQuery, _ rows: [StoredRow]) -> [StoredRow] {
    guard query.offset > 0 || query.limit != nil else { return rows }
    let rest = rows.dropFirst(max(query.offset, 0))
    return query.limit.map { Array(rest.prefix(max($0, 0))) } ?? Array(rest)
  }

  /// The rows of some identifiers, each once, by rising key.
  private func rows(
    _ identifiers: [PersistentIdentifier],
    in family: [Int]
  ) throws -> [StoredRow] {
    let keys = Set(identifiers.compactMap(\.integerKey)).sorted()
    return try keys.compactMap { key in
      for index in family {
        if let slot = try load(index).slot(of: key) {
          return StoredRow(view: self, table: index, slot: slot)
        }
      }
      return nil
    }
  }

  /// The rows among which the answer is: those that refer to the right rows, or all.
  private func candidates(_ query: StoreQuery, in family: [Int]) throws -> [StoredRow] {
    if let filter = query.filter, let reference = ReferenceTest(filter),
      family.allSatisfy({ isReference(reference.property, in: $0) })
    {
      return try rows(referring: reference, in: family)
    }
    var rows: [StoredRow] = []
    for index in family {
      guard let table = tables[index]?.table else { continue }
      rows.reserveCapacity(rows.count + table.count)
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        rows.append(StoredRow(view: self, table: index, slot: slot))
      }
    }
    return family.count > 1 ? sortedByKey(rows) : rows
  }

  private func sortedByKey(_ rows: [StoredRow]) -> [StoredRow] {
    rows.map { (tables[$0.table]?.table.keys[$0.slot] ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func isReference(_ property: String, in table: Int) -> Bool {
    map.schema.entities[table].property(named: property)?.isToOne == true
  }

  private func rows(referring test: ReferenceTest, in family: [Int]) throws -> [StoredRow] {
    var rows: [StoredRow] = []
    for index in family {
      guard let property = map.schema.entities[index].indexByName[test.property] else { continue }
      let table = try indexed(index, property)
      for key in test.keys {
        for slot in table.slots(referringTo: key, by: property) {
          rows.append(StoredRow(view: self, table: index, slot: Int(slot)))
        }
      }
    }
    return sortedByKey(rows)
  }
}

/// A condition on a to-one property that all rows of an answer fulfil.
struct ReferenceTest {
  let property: String
  /// The keys of the rows that the property may lead to.
  let keys: Set<Int64>

  /// Finds such a condition in a filter, alone or among others that must hold too.
  init?(_ filter: QueryExpression) {
    switch filter {
    case .and(let parts):
      guard let found = parts.lazy.compactMap(ReferenceTest.init).first else { return nil }
      self = found
    case .compare(.equal, .property(.element(0), let name), .constant(.identifier(let one))),
      .compare(.equal, .constant(.identifier(let one)), .property(.element(0), let name)):
      self.init(name, [one])
    case .contains(.constant(.identifiers(let list)), .property(.element(0), let name)):
      self.init(name, list)
    default: return nil
    }
  }

  private init(_ property: String, _ identifiers: [PersistentIdentifier]) {
    self.property = property
    keys = Set(identifiers.compactMap(\.integerKey))
  }
}
