import StoreProtocol

/// Computes a selection over rows that are added one by one: the one definition of its meaning.
///
/// Add the rows that match the selection's query. For a projection, add them in its order and
/// within its window; for groups, in the order of their identifiers and without a window.
package struct SelectionEvaluator<Row: QueryRow> {
  private let selection: StoreSelection
  private let columns: [(Row) throws -> StoreValue]
  private let keys: [(Row) throws -> StoreValue]
  private let empty: [AggregateAccumulator?]
  private var groups: [GroupKey: Int] = [:]
  private var found: [Group] = []

  private struct Group {
    let key: GroupKey
    var rows = 0
    var accumulators: [AggregateAccumulator?]
  }

  /// Prepares a selection.
  ///
  /// - Throws: ``DataStoreError/invalidPredicate`` for columns that the selection cannot have.
  package init(_ selection: StoreSelection, evaluator: QueryEvaluator<Row>) throws {
    try selection.check()
    self.selection = selection
    keys = try (selection.groups ?? []).map { try evaluator.reader(of: $0) }
    columns = try selection.columns.map { column in
      switch column {
      case .value(let value), .aggregate(_, let value, _): try evaluator.reader(of: value)
      case .key, .count: { _ in .null }
      }
    }
    empty = try selection.columns.map { column in
      guard case .aggregate(let function, _, let type) = column else { return nil }
      return try AggregateAccumulator(function, of: type)
    }
  }

  /// Adds a row; a projection passes its values to the closure immediately.
  package mutating func add(_ row: Row, _ body: ([StoreValue]) throws -> Void) throws {
    guard selection.groups != nil else { return try body(columns.map { try $0(row) }) }
    let index = group(of: GroupKey(try keys.map { try $0(row) }))
    found[index].rows += 1
    for position in columns.indices where empty[position] != nil {
      found[index].accumulators[position]?.add(try columns[position](row))
    }
  }

  /// Passes the groups to the closure, after all rows were added.
  package mutating func finish(_ body: ([StoreValue]) throws -> Void) throws {
    guard let keys = selection.groups else { return }
    if keys.isEmpty, found.isEmpty { _ = group(of: GroupKey([])) }
    let groups = try found.map { ResultGroup(key: $0.key, values: try values(of: $0)) }
    for group in try selection.windowed(groups) { try body(group.values) }
  }

  private mutating func group(of key: GroupKey) -> Int {
    if let index = groups[key] { return index }
    groups[key] = found.count
    found.append(Group(key: key, accumulators: empty))
    return found.count - 1
  }

  private func values(of group: Group) throws -> [StoreValue] {
    try selection.columns.enumerated().map { position, column in
      switch column {
      case .key(let number): group.key.values[number]
      case .count: .integer(Int64(group.rows))
      case .aggregate: try group.accumulators[position]?.result() ?? .null
      case .value: .null
      }
    }
  }
}

package struct ResultGroup {
  package let key: GroupKey
  package let values: [StoreValue]

  package init(key: GroupKey, values: [StoreValue]) {
    self.key = key
    self.values = values
  }
}

extension StoreSelection {
  /// Filters and sorts the groups of a result, and applies the window.
  package func windowed(_ groups: [ResultGroup]) throws -> [ResultGroup] {
    let entity = StoreEntity(
      name: query.entity,
      properties: columns.indices.map {
        StoreProperty(name: String($0), kind: .attribute(.codable), isOptional: true)
      }
    )
    let rows = groups.sorted { GroupKey.precedes($0.key, $1.key) }.enumerated().map {
      ResultRow(number: $0, entity: entity, group: $1)
    }
    let evaluator = QueryEvaluator<ResultRow>(
      schema: StoreSchema(version: "1.0.0", entities: [entity]),
      row: { _ in nil },
      members: { _, _ in [] }
    )
    let windowQuery = StoreQuery(
      entity: query.entity,
      filter: having,
      sort: order,
      offset: query.offset,
      limit: query.limit
    )
    return try evaluator.evaluate(windowQuery, over: rows).map(\.group)
  }

  /// Throws for columns that contradict the groups.
  package func check() throws {
    for column in columns {
      switch column {
      case .value where groups != nil:
        throw DataStoreError(.invalidPredicate, "a group of rows has no single value")
      case .key(let number) where !(groups?.indices.contains(number) ?? false):
        throw DataStoreError(.invalidPredicate, "the selection has no key \(number)")
      case .count where groups == nil, .aggregate where groups == nil:
        throw DataStoreError(
          .invalidPredicate,
          "an aggregate needs groups; pass no keys to make one group of all rows"
        )
      default: continue
      }
    }
  }
}

/// A row of the result, as the evaluator uses it.
private struct ResultRow: QueryRow {
  let identifier: PersistentIdentifier
  let entity: StoreEntity
  let group: ResultGroup

  init(number: Int, entity: StoreEntity, group: ResultGroup) {
    identifier = PersistentIdentifier(.integer(Int64(number)), of: entity.name)
    self.entity = entity
    self.group = group
  }

  func value(at index: Int) -> StoreValue { group.values[index] }
}
