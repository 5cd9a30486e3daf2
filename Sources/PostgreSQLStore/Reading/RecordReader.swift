import Foundation
import PostgreSQLClient
import StoreProtocol
import StructuredText

/// Reads records from the tables, in one state of the store if its connection is in a transaction.
struct RecordReader {
  let map: StoreMap
  let connection: Connection

  /// Returns the records of each request.
  ///
  /// It takes one round trip, and one more if rows refer to rows of hierarchies, whose entities stand
  /// beside them alone.
  func records(_ requests: [RowRequest]) throws -> [[DefaultSnapshot]] {
    guard !requests.isEmpty else { return [] }
    let results = try connection.run(requests.map(\.statement))
    guard results.count == requests.count else { throw damaged("left out a result") }
    var targets: [String: Set<Int64>] = [:]
    for (request, result) in zip(requests, results) {
      try collectTargets(request.table, result, into: &targets)
    }
    let entities = try entities(of: targets)
    return try zip(requests, results).map { request, result in
      try (0..<result.rowCount).map { try record(request.table, result, $0, entities) }
    }
  }

  /// Returns the identifiers of the rows of a request.
  func identifiers(_ request: RowRequest) throws -> [PersistentIdentifier] {
    let columns = request.table.isShared ? "_key, _entity" : "_key"
    let result = try connection.run(request.statement(selecting: columns))
    return try (0..<result.rowCount).map { row in
      map.catalog.identifier(
        try key(result, row, 0),
        of: try entity(request.table, result, row, 1)
      )
    }
  }

  /// Returns the rows that refer to others by a reference to one, by the keys of the others.
  func referrers(
    _ property: String,
    of entity: String,
    to keys: [Int64]
  ) throws -> [Int64: [PersistentIdentifier]] {
    let table = try map.table(of: entity)
    guard let index = try map.catalog.entity(named: entity).indexByName[property],
      let position = table.positions[entity]?[index]
    else { return [:] }
    let name = table.columns[position].name
    let request = RowRequest(table, "WHERE \(name) = ANY($1)", [Parameter(array: keys)])
    let columns = "\(name), _key" + (table.isShared ? ", _entity" : "")
    let result = try connection.run(request.statement(selecting: columns))
    var found: [Int64: [PersistentIdentifier]] = [:]
    for row in 0..<result.rowCount {
      let own = try self.entity(table, result, row, 2)
      guard map.catalog.schema.isEntity(own.name, kindOf: entity) else { continue }
      let identifier = map.catalog.identifier(try key(result, row, 1), of: own)
      found[try key(result, row, 0), default: []].append(identifier)
    }
    return found
  }

  // MARK: Decoding

  private func record(
    _ table: TableMap,
    _ result: QueryResult,
    _ row: Int,
    _ entities: [Int64: StoreEntity]
  ) throws -> DefaultSnapshot {
    let entity = try entity(table, result, row, 2)
    let first = table.isShared ? 3 : 2
    let values = try (table.positions[entity.name] ?? []).map { position -> StoreValue in
      guard let position else { return .null }
      let kind = table.columns[position].kind
      return try value(kind, result, row, first + position, entities) ?? .null
    }
    var record = DefaultSnapshot(
      persistentIdentifier: map.catalog.identifier(try key(result, row, 0), of: entity),
      entity: entity,
      values: values
    )
    record.version = try key(result, row, 1)
    return record
  }

  private func value(
    _ kind: ColumnKind,
    _ result: QueryResult,
    _ row: Int,
    _ column: Int,
    _ entities: [Int64: StoreEntity]
  ) throws -> StoreValue? {
    switch kind {
    case .bool: return try result.value(row, column).map(StoreValue.bool)
    case .integer: return try result.value(row, column).map(StoreValue.integer)
    case .unsigned:
      guard let number = try result.value(row, column, as: Decimal.self) else { return nil }
      if let integer = Int64(number.description) { return .integer(integer) }
      guard let unsigned = UInt64(number.description) else { throw damaged("has no whole number") }
      return .unsigned(unsigned)
    case .double: return try result.value(row, column).map(StoreValue.double)
    case .date:
      return try result.value(row, column, as: Double.self)
        .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: return try result.value(row, column).map(StoreValue.decimal)
    case .text:
      guard let stored = try result.value(row, column, as: String.self) else { return nil }
      guard let text = TextEscape.unescaped(stored) else { throw damaged("has an invalid text") }
      return .string(text)
    case .data: return try result.value(row, column).map(StoreValue.data)
    case .uuid: return try result.value(row, column).map(StoreValue.uuid)
    case .json:
      guard let text = try result.value(row, column, as: String.self) else { return nil }
      do { return try JSONText.decoded(text) } catch { throw damaged("has an invalid JSON value") }
    case .reference(let destination):
      guard let key = try result.value(row, column, as: Int64.self) else { return nil }
      return identifier(key, destination, entities).map(StoreValue.identifier)
    case .list(let destination):
      guard let keys = try result.array(row, column, of: Int64.self) else { return nil }
      return .identifiers(
        keys.compactMap { $0.flatMap { identifier($0, destination, entities) } }
      )
    }
  }

  private func identifier(
    _ key: Int64,
    _ destination: StoreEntity,
    _ entities: [Int64: StoreEntity]
  ) -> PersistentIdentifier? {
    let entity = isShared(destination) ? entities[key] : destination
    return entity.map { map.catalog.identifier(key, of: $0) }
  }

  private func isShared(_ destination: StoreEntity) -> Bool {
    map.tables[destination.root]?.isShared ?? false
  }

  private func collectTargets(
    _ table: TableMap,
    _ result: QueryResult,
    into targets: inout [String: Set<Int64>]
  ) throws {
    let first = table.isShared ? 3 : 2
    for (position, column) in table.columns.enumerated() {
      switch column.kind {
      case .reference(let destination) where isShared(destination):
        for row in 0..<result.rowCount {
          guard let key = try result.value(row, first + position, as: Int64.self) else { continue }
          targets[destination.root, default: []].insert(key)
        }
      case .list(let destination) where isShared(destination):
        for row in 0..<result.rowCount {
          let keys = try result.array(row, first + position, of: Int64.self) ?? []
          targets[destination.root, default: []].formUnion(keys.compactMap(\.self))
        }
      default: continue
      }
    }
  }

  private func entities(of targets: [String: Set<Int64>]) throws -> [Int64: StoreEntity] {
    let wanted = targets.sorted { $0.key < $1.key }
    guard !wanted.isEmpty else { return [:] }
    let requests = try wanted.map { RowRequest(try map.table(of: $0.key), keys: $0.value) }
    let results = try connection.run(requests.map { $0.statement(selecting: "_key, _entity") })
    var entities: [Int64: StoreEntity] = [:]
    for (request, result) in zip(requests, results) {
      for row in 0..<result.rowCount {
        entities[try key(result, row, 0)] = try entity(request.table, result, row, 1)
      }
    }
    return entities
  }

  /// The entity of a row, whose name stands in a column if the table has rows of several.
  private func entity(
    _ table: TableMap,
    _ result: QueryResult,
    _ row: Int,
    _ column: Int
  ) throws -> StoreEntity {
    let name = table.isShared ? try result.value(row, column, as: String.self) : table.root
    guard let name, let entity = map.catalog.schema.entity(named: name), entity.root == table.root
    else { throw damaged("has a row of an unknown entity in the table of \(table.root)") }
    return entity
  }

  private func key(_ result: QueryResult, _ row: Int, _ column: Int) throws -> Int64 {
    guard let key = try result.value(row, column, as: Int64.self) else {
      throw damaged("has a row without a key or version")
    }
    return key
  }

  private func damaged(_ what: String) -> DataStoreError {
    DataStoreError(.storeDamaged, "the store \(what); restore a backup", file: map.space)
  }
}
