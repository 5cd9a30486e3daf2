import Foundation
import PostgreSQLClient
import StoreProtocol

/// Reads the rows of a table directly from a result.
///
/// The readers of one type read a column of that type. They leave everything else (null, strings in
/// another spelling) to `value(at:)`.
final class ResultReader: RowReader {
  private let decoder: RecordDecoder
  private let table: EntityTable
  private let selection: EntityTable.Selection
  private let result: QueryResult
  private var row = 0
  private var rowVersion: Int64 = 0
  private var spelling: [String: StoreValue] = [:]
  /// The columns of the entity's properties in the table and in the result.
  private var positions: [Int?] = []
  private var fields: [Int?] = []
  /// The types of these columns of the result, and the kinds of those of the table.
  private var types: [UInt32?] = []
  private var kinds: [ColumnKind?] = []

  /// Creates a reader of a result with the selected columns of a table.
  init(
    _ decoder: RecordDecoder,
    _ table: EntityTable,
    _ selection: EntityTable.Selection,
    _ result: QueryResult
  ) {
    self.decoder = decoder
    self.table = table
    self.selection = selection
    self.result = result
    super.init()
  }

  /// Moves to a row.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the row is invalid.
  func move(to row: Int) throws {
    self.row = row
    if table.isShared || scope == nil { try move(to: decoder.entity(table, result, row, 2)) }
    key = .integer(try decoder.key(result, row, 0))
    rowVersion = try decoder.key(result, row, 1)
    guard let field = selection.spelling else { return }
    spelling = try decoder.spelling(result, row, field)
  }

  private func move(to entity: StoreEntity) {
    guard scope == nil || entity.name != self.entity.name else { return }
    self.entity = entity
    scope = decoder.map.catalog.scope(of: entity)
    positions = table.positions[entity.name] ?? []
    fields = positions.map { $0.flatMap { selection.fields[$0] } }
    types = fields.map { $0.flatMap(result.typeID) }
    kinds = positions.map { $0.map { table.columns[$0].kind } }
  }

  /// The values of the current row as a record.
  func record() throws -> DefaultSnapshot {
    var record = DefaultSnapshot(
      persistentIdentifier: identifier,
      entity: entity,
      values: try positions.indices.map { try value(at: $0) }
    )
    record.version = rowVersion
    return record
  }

  override var version: Int64 { rowVersion }

  override func isDeferred(at index: Int) -> Bool {
    fields[index] == nil && positions[index] != nil
      && entity.properties[index].attributeType != nil
  }

  override func value(at index: Int) throws -> StoreValue {
    guard let position = positions[index], let field = fields[index], let kind = kinds[index] else {
      return .null
    }
    if !spelling.isEmpty, let text = spelling[table.columns[position].label] { return text }
    return try decoder.value(kind, result, row, field, selection.entities[position]) ?? .null
  }

  override func integer(at index: Int) throws -> Int64 {
    try field(Int64.typeID, at: index).flatMap { try result.integer(row, $0) }
      ?? super.integer(at: index)
  }

  override func double(at index: Int) throws -> Double {
    try field(Double.typeID, at: index).flatMap { try result.double(row, $0) }
      ?? super.double(at: index)
  }

  override func date(at index: Int) throws -> Date {
    try field(Double.typeID, at: index).flatMap { try result.double(row, $0) }
      .map { Date(timeIntervalSinceReferenceDate: $0) } ?? super.date(at: index)
  }

  override func string(at index: Int) throws -> String {
    guard spelling.isEmpty, let field = field(String.typeID, at: index),
      let text = try result.string(row, field).flatMap(TextEscape.unescaped)
    else { return try super.string(at: index) }
    return text
  }

  /// Returns the column of a property in the result, or `nil` if it has not the given type.
  private func field(_ typeID: UInt32, at index: Int) -> Int? {
    types[index] == typeID ? fields[index] : nil
  }
}
