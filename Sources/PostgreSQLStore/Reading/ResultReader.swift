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
  // Accessed for each value, in accesses that never overlap.
  @exclusivity(unchecked) private var row = 0
  @exclusivity(unchecked) private var rowVersion: Int64 = 0
  @exclusivity(unchecked) private var spelling: [String: StoreValue] = [:]
  /// The fields of the entity's properties.
  @exclusivity(unchecked) private var fields: [EntityTable.Selection.Field] = []

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
    super.init(entity: table.entity)
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
    fields = selection.fields[entity.name] ?? []
  }

  override var version: Int64 { rowVersion }

  override func isDeferred(at index: Int) -> Bool {
    fields[index].index == nil && entity.properties[index].attributeType != nil
  }

  override func value(at index: Int) throws -> StoreValue {
    guard let field = fields[index].index else { return .null }
    let position = fields[index].position
    if !spelling.isEmpty, let text = spelling[table.columns[position].label] { return text }
    let kind = table.columns[position].kind
    return try decoder.value(kind, result, row, field, selection.entities[position]) ?? .null
  }

  override func integer(at index: Int) throws -> Int64 {
    try field(.integer, at: index).flatMap { try result.integer(row, $0) }
      ?? super.integer(at: index)
  }

  override func double(at index: Int) throws -> Double {
    try field(.double, at: index).flatMap { try result.double(row, $0) }
      ?? super.double(at: index)
  }

  override func date(at index: Int) throws -> Date {
    try field(.date, at: index).flatMap { try result.double(row, $0) }
      .map { Date(timeIntervalSinceReferenceDate: $0) } ?? super.date(at: index)
  }

  override func string(at index: Int) throws -> String {
    guard spelling.isEmpty, let field = field(.text, at: index),
      let text = try result.string(row, field).flatMap(TextEscape.unescaped)
    else { return try super.string(at: index) }
    return text
  }

  /// Returns the column of a property in the result, or `nil` if it is of another kind.
  private func field(_ kind: ColumnKind.Plain, at index: Int) -> Int? {
    fields[index].kind == kind ? fields[index].index : nil
  }
}
