import Foundation
import PostgreSQLClient
import StoreProtocol
import StructuredText

/// Creates records from rows that the server sent.
struct RecordDecoder {
  let map: StoreMap

  func records(_ table: EntityTable, _ result: QueryResult) throws -> [DefaultSnapshot] {
    var records: [DefaultSnapshot] = []
    records.reserveCapacity(result.rowCount)
    try read(table, table.selection, result) { records.append(try $0.record()) }
    return records
  }

  /// Calls a function with each row of a table.
  func read(
    _ table: EntityTable,
    _ selection: EntityTable.Selection,
    _ result: QueryResult,
    _ body: (ResultReader) throws -> Void
  ) throws {
    let reader = ResultReader(self, table, selection, result)
    for row in 0..<result.rowCount {
      try reader.move(to: row)
      try body(reader)
    }
  }

  /// Returns the identifiers of a table's rows, whose first columns are the key and entity.
  func identifiers(_ table: EntityTable, _ result: QueryResult) throws -> [PersistentIdentifier] {
    try (0..<result.rowCount).map { row in
      map.catalog.identifier(
        try key(result, row, 0),
        of: try entity(table, result, row, 1)
      )
    }
  }

  /// Returns lists of keys, by the keys of the rows that contain them.
  func lists(_ result: QueryResult) throws -> [Int64: [Int64]] {
    try (0..<result.rowCount).reduce(into: [:]) { lists, row in
      lists[try key(result, row, 0)] =
        try result.array(row, 1, of: Int64.self)?.compactMap(\.self) ?? []
    }
  }

  /// Returns the strings that are not in composed form, by the labels of their columns.
  func spelling(
    _ result: QueryResult,
    _ row: Int,
    _ column: Int
  ) throws -> [String: StoreValue] {
    guard let text = try result.string(row, column) else { return [:] }
    guard case .composite(let members)? = try? JSONText.decoded(text) else {
      throw damaged("has an invalid spelling")
    }
    return try members.reduce(into: [:]) { spelling, member in
      guard case .string(let stored) = member.value, let text = TextEscape.unescaped(stored) else {
        throw damaged("has an invalid spelling")
      }
      spelling[member.name] = .string(text)
    }
  }

  /// Returns the value of a column, or `nil` for null.
  ///
  /// - Parameters:
  ///   - kind: The kind of the column.
  ///   - result: The result.
  ///   - row: The index of the row.
  ///   - column: The index of the column.
  ///   - entity: The index of the column with the entities of referenced rows, or `nil` if their table
  ///     has only one.
  /// - Returns: The value, or `nil` for null.
  /// - Throws: ``DataStoreError/storeDamaged`` if the column has no valid value.
  func value(
    _ kind: ColumnKind,
    _ result: QueryResult,
    _ row: Int,
    _ column: Int,
    _ entity: Int? = nil
  ) throws -> StoreValue? {
    switch kind {
    case .bool: return try result.value(row, column).map(StoreValue.bool)
    case .integer: return try result.integer(row, column).map(StoreValue.integer)
    case .unsigned:
      guard let number = try result.value(row, column, as: Decimal.self) else { return nil }
      if let integer = Int64(number.description) { return .integer(integer) }
      guard let unsigned = UInt64(number.description) else {
        throw damaged("has an invalid integer")
      }
      return .unsigned(unsigned)
    case .double: return try result.double(row, column).map(StoreValue.double)
    case .date:
      return try result.double(row, column)
        .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: return try result.value(row, column).map(StoreValue.decimal)
    case .text:
      guard let stored = try result.string(row, column) else { return nil }
      guard let text = TextEscape.unescaped(stored) else { throw damaged("has an invalid string") }
      return .string(text)
    case .data: return try result.value(row, column).map(StoreValue.data)
    case .uuid: return try result.value(row, column).map(StoreValue.uuid)
    case .json:
      guard let text = try result.string(row, column) else { return nil }
      do { return try JSONText.decoded(text) } catch { throw damaged("has an invalid JSON value") }
    case .reference(let destination):
      guard let key = try result.integer(row, column) else { return nil }
      guard let entity else { return .identifier(map.catalog.identifier(key, of: destination)) }
      return try identifier(key, result.value(row, entity)).map(StoreValue.identifier)
    case .list(let destination):
      guard let keys = try result.array(row, column, of: Int64.self)?.compactMap(\.self) else {
        return nil
      }
      guard let entity else {
        return .identifiers(keys.map { map.catalog.identifier($0, of: destination) })
      }
      let names = try result.array(row, entity, of: String.self) ?? []
      return .identifiers(try zip(keys, names).compactMap(identifier))
    }
  }

  /// Returns the identifier of a referenced row, or `nil` if there is no such row.
  private func identifier(_ key: Int64, _ entity: String?) throws -> PersistentIdentifier? {
    try entity.map { map.catalog.identifier(key, of: try map.catalog.schema.requiredEntity($0)) }
  }

  /// Returns the entity of a row, whose name is in a column if the table has rows of several.
  func entity(
    _ table: EntityTable,
    _ result: QueryResult,
    _ row: Int,
    _ column: Int
  ) throws -> StoreEntity {
    guard table.isShared else { return table.entity }
    let name = try result.string(row, column)
    guard let name, let entity = map.catalog.schema.entity(named: name), entity.root == table.root
    else { throw damaged("has a row of an unknown entity in the table of \(table.root)") }
    return entity
  }

  func key(_ result: QueryResult, _ row: Int, _ column: Int) throws -> Int64 {
    guard let key = try result.integer(row, column) else {
      throw damaged("has a row without a key or version")
    }
    return key
  }

  func damaged(_ what: String) -> DataStoreError {
    DataStoreError(.storeDamaged, "the store \(what); restore a backup", file: map.space)
  }
}
