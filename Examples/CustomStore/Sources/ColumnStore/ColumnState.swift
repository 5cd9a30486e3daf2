import QueryEvaluation
import StoreHelpers
import StoreProtocol

/// The rows of one entity by rising key, the values of each property together.
struct Table: Sendable {
  let entity: StoreEntity
  let scope: PersistentIdentifier.Scope
  var keys: [Int64] = []
  var versions: [Int64] = []
  var columns: [[StoreValue]]

  init(_ entity: StoreEntity, _ scope: PersistentIdentifier.Scope) {
    self.entity = entity
    self.scope = scope
    columns = entity.properties.map { _ in [] }
  }

  func slot(of key: Int64) -> Int? {
    var range = keys.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if keys[middle] == key { return middle }
      range = keys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// Adds a row, whose columns have its values or get none.
  mutating func append(_ key: Int64, version: Int64) {
    keys.append(key)
    versions.append(version)
    for index in columns.indices where columns[index].count < keys.count {
      columns[index].append(.null)
    }
  }

  mutating func remove(_ gone: Set<Int64>) {
    let slots = keys.indices.filter { !gone.contains(keys[$0]) }
    if slots.count == keys.count { return }
    keys = slots.map { keys[$0] }
    versions = slots.map { versions[$0] }
    for index in columns.indices {
      let column = columns[index]
      columns[index] = slots.map { column[$0] }
    }
  }
}

/// All that a column store holds.
///
/// Readers and saves work on copies, whose arrays are shared until one is changed.
struct ColumnState: Sendable {
  struct Location: Hashable {
    let table: Int
    let slot: Int
  }

  let schema: StoreSchema
  private(set) var tables: [Table]
  /// The last key that was ever given; none is given twice.
  private var lastKey: Int64 = 0
  /// The number of the last save.
  private var lastSave: Int64 = 0
  /// The rows of the last save that refer to rows that are not there.
  private var losing: Set<PersistentIdentifier> = []

  init(_ schema: StoreSchema, identifier: String) {
    self.schema = schema
    tables = schema.entities.map {
      Table($0, .init(storeIdentifier: identifier, entityName: $0.name))
    }
  }

  func location(of key: Int64) -> Location? {
    for (table, rows) in tables.enumerated() {
      if let slot = rows.slot(of: key) { return Location(table: table, slot: slot) }
    }
    return nil
  }

  func identifier(_ location: Location) -> PersistentIdentifier {
    let table = tables[location.table]
    return PersistentIdentifier(scope: table.scope, key: .integer(table.keys[location.slot]))
  }

  func value(_ location: Location, _ index: Int) -> StoreValue {
    tables[location.table].columns[index][location.slot]
  }

  /// The tables of an entity and of those that inherit from it.
  func family(of entity: String, includesSubentities: Bool = true) throws -> [Int] {
    _ = try table(of: entity)
    return tables.indices.filter {
      let name = tables[$0].entity.name
      return includesSubentities ? schema.isEntity(name, kindOf: entity) : name == entity
    }
  }

  private func table(of entity: String) throws -> Int {
    if let number = tables.firstIndex(where: { $0.entity.name == entity }) { return number }
    throw DataStoreError(.schemaMismatch, "the store's schema lacks this entity", entity: entity)
  }
}

/// Queries, by the one definition of what they mean.
extension ColumnState {
  func evaluate(_ query: StoreQuery) throws -> [Location] {
    let family = try family(of: query.entity, includesSubentities: query.includesSubentities)
    func all(_ table: Int) -> [Location] {
      tables[table].keys.indices.map { Location(table: table, slot: $0) }
    }
    if query.filter == nil, query.sort.isEmpty, family.count == 1 {
      let rows = all(family[0]).dropFirst(max(query.offset, 0))
      return Array(rows.prefix(max(query.limit ?? .max, 0)))
    }
    let named = query.identifiers.map { Set($0.compactMap { $0.integerKey.flatMap(location) }) }
    let locations = named?.filter { family.contains($0.table) }.map { $0 } ?? family.flatMap(all)
    let evaluator = QueryEvaluator<ColumnRow>(
      schema: schema,
      row: { one in one.integerKey.flatMap(location).map { ColumnRow(state: self, location: $0) } },
      members: { row, index in members(at: index, of: row.location) }
    )
    let rows = locations.map { ColumnRow(state: self, location: $0) }
    return try evaluator.evaluate(query, over: rows).map(\.location)
  }

  /// The members of a relationship: those whose own reference leads here, ordered by the list.
  private func members(at index: Int, of location: Location) -> [PersistentIdentifier] {
    var listed: [PersistentIdentifier] = []
    if case .identifiers(let list) = value(location, index) { listed = list }
    let property = tables[location.table].entity.properties[index]
    guard property.isDerivedToMany, let relationship = property.relationship else { return listed }
    var members: [PersistentIdentifier] = []
    let owner = tables[location.table].keys[location.slot]
    forEachMember(of: relationship, owners: [owner]) { members.append(identifier($1)) }
    return MemberOrder.ordered(members, by: listed)
  }

  /// Finds the rows whose reference leads to some owners.
  func forEachMember(
    of relationship: StoreRelationship,
    owners: Set<Int64>,
    _ body: (_ owner: Int64, Location) throws -> Void
  ) rethrows {
    for (number, table) in tables.enumerated() {
      guard schema.isEntity(table.entity.name, kindOf: relationship.destination),
        let index = relationship.inverse.flatMap({ table.entity.indexByName[$0] })
      else { continue }
      for (slot, value) in table.columns[index].enumerated() {
        guard case .identifier(let one) = value, let owner = one.integerKey,
          owners.contains(owner)
        else { continue }
        try body(owner, Location(table: number, slot: slot))
      }
    }
  }
}

/// A row as the evaluator sees it.
struct ColumnRow: QueryRow {
  let state: ColumnState
  let location: ColumnState.Location

  var identifier: PersistentIdentifier { state.identifier(location) }
  var entity: StoreEntity { state.tables[location.table].entity }
  func value(at index: Int) -> StoreValue { state.value(location, index) }
}

/// Saves.
extension ColumnState {
  /// Removes all rows; their keys are not given again.
  mutating func erase() {
    tables = tables.map { Table($0.entity, $0.scope) }
    lastSave += 1
  }

  /// Deletes, inserts and updates.
  mutating func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    for (identifier, version) in changes.expectedVersions {
      let location = try location(of: identifier)
      guard tables[location.table].versions[location.slot] == version else {
        throw outdated(identifier)
      }
    }
    try check(changes)
    lastSave += 1
    var result = StoreChangesResult(version: lastSave)
    remove(Set(changes.deleted.compactMap(\.integerKey)))
    losing = []
    // All new rows get their keys first, since the values of each may refer to any.
    var keys: [Int64: Int64] = [:]
    for run in changes.insertions {
      let scope = tables[try table(of: run.entityName)].scope
      result.firstKeys.append(lastKey + 1)
      for position in 0..<run.count {
        lastKey += 1
        if let number = run.identifiers.temporaryNumber(at: position) { keys[number] = lastKey }
        if run.needsNames {
          let identifier = PersistentIdentifier(scope: scope, key: .integer(lastKey))
          result.remapped[run.identifiers[position]] = identifier
        }
      }
    }
    for (run, firstKey) in zip(changes.insertions, result.firstKeys) { try insert(run, firstKey) }
    for (run, firstKey) in zip(changes.insertions, result.firstKeys) {
      try settle(firstKey, run.count, of: run.entityName, keys)
    }
    for run in changes.updates { try update(run, keys) }
    result.changedByStore = Array(losing)
    return result
  }

  /// Throws if the batch takes related rows away from rows by protected relationships.
  private func check(_ changes: StoreChanges) throws {
    let gone = Set(changes.deleted.compactMap(\.integerKey))
    try changes.checkProtectedReferences(in: schema) { entity, index in
      let table = tables[try self.table(of: entity.name)]
      let slots = table.keys.indices.filter { slot in
        switch table.columns[index][slot] {
        case .identifier(let one): gone.contains(one.integerKey ?? 0)
        case .identifiers(let list): list.contains { gone.contains($0.integerKey ?? 0) }
        default: false
        }
      }
      return slots.map { PersistentIdentifier(scope: table.scope, key: .integer(table.keys[$0])) }
    } exists: { target in
      guard let key = target.integerKey, !gone.contains(key) else { return false }
      return tables.contains { $0.keys.contains(key) }
    }
  }

  private func location(of identifier: PersistentIdentifier) throws -> Location {
    guard let location = identifier.integerKey.flatMap(location) else { throw outdated(identifier) }
    return location
  }

  private func outdated(_ row: PersistentIdentifier) -> DataStoreError {
    DataStoreError(.conflict, "the row \(row) was changed or is gone; fetch again")
  }

  private mutating func remove(_ gone: Set<Int64>) {
    for number in tables.indices where !gone.isEmpty {
      tables[number].remove(gone)
      for (index, property) in tables[number].entity.properties.enumerated()
      where property.relationship != nil {
        for slot in tables[number].keys.indices {
          switch tables[number].columns[index][slot] {
          case .identifier(let one) where gone.contains(one.integerKey ?? 0):
            tables[number].columns[index][slot] = .null
          case .identifiers(let list) where list.contains { gone.contains($0.integerKey ?? 0) }:
            let left = list.filter { !gone.contains($0.integerKey ?? 0) }
            tables[number].columns[index][slot] = .identifiers(left)
          default: continue
          }
        }
      }
    }
  }

  private mutating func insert(_ run: RowRun, _ firstKey: Int64) throws {
    let number = try table(of: run.entityName)
    let values = run.values(for: tables[number].entity)
    let writer = ColumnWriter(tables[number])
    // What has one owner is not copied when it is changed.
    tables[number].columns = []
    for position in 0..<run.count {
      try writer.write(position, of: values)
      writer.table.append(firstKey + Int64(position), version: lastSave)
    }
    tables[number] = writer.table
  }

  /// Has the references of new rows lead to rows that are there.
  private mutating func settle(
    _ firstKey: Int64,
    _ count: Int,
    of entity: String,
    _ keys: [Int64: Int64]
  ) throws {
    let number = try table(of: entity)
    guard let first = tables[number].slot(of: firstKey) else { return }
    for (index, property) in tables[number].entity.properties.enumerated()
    where property.relationship != nil {
      for slot in first..<first + count {
        try set(
          tables[number].columns[index][slot],
          at: index,
          of: Location(table: number, slot: slot),
          keys
        )
      }
    }
  }

  private mutating func update(_ run: RowRun, _ keys: [Int64: Int64]) throws {
    for (position, identifier) in run.identifiers.enumerated() {
      let location = try location(of: identifier)
      let table = tables[location.table]
      for index in run.properties where !table.columns.indices.contains(index) {
        throw DataStoreError(.invalidValue, "\(identifier) has no property \(index)")
      }
      let writer = ColumnWriter(Table(table.entity, table.scope))
      try writer.write(position, of: run.values(for: table.entity))
      for index in run.properties {
        try set(writer.table.columns[index].first ?? .null, at: index, of: location, keys)
      }
    }
  }

  private mutating func set(
    _ value: StoreValue,
    at index: Int,
    of location: Location,
    _ keys: [Int64: Int64]
  ) throws {
    let settled = try settled(value, keys)
    if referenceCount(settled) < referenceCount(value) { losing.insert(identifier(location)) }
    tables[location.table].columns[index][location.slot] = settled
    tables[location.table].versions[location.slot] = lastSave
  }

  private func referenceCount(_ value: StoreValue) -> Int {
    switch value {
    case .identifier: 1
    case .identifiers(let list): Set(list).count
    default: 0
    }
  }

  /// A value with each reference leading to a row that is there, under its own entity.
  private func settled(_ value: StoreValue, _ keys: [Int64: Int64]) throws -> StoreValue {
    func row(_ one: PersistentIdentifier) throws -> PersistentIdentifier? {
      var key = one.integerKey
      if case .temporary(let number) = one.key {
        key = keys[number]
        if key == nil {
          throw DataStoreError(.invalidValue, "a reference to \(one), which is not saved along")
        }
      }
      return key.flatMap { self.location(of: $0) }.map(identifier)
    }
    switch value {
    case .identifier(let one): return try row(one).map(StoreValue.identifier) ?? .null
    case .identifiers(let list):
      var seen: Set<PersistentIdentifier> = []
      return .identifiers(try list.compactMap(row).filter { seen.insert($0).inserted })
    default: return value
    }
  }
}
