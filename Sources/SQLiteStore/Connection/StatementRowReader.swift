import CSQLite
import Foundation
import StoreProtocol

/// Reads the current row of a statement directly from SQLite's memory.
///
/// The scalar readers read a column whose storage class is the expected one. They leave everything
/// else (null, NaN, values of other programs) to `value(at:)`.
final class StatementRowReader: RowReader {
  private let statement: Statement
  private let handle: OpaquePointer
  private let plan: RowPlan
  private let references: ReferenceReader
  private let wanted: [String]
  @exclusivity(unchecked) private var positions: [Int]

  /// The layout of the current row.
  @exclusivity(unchecked) private(set) var layout: RowLayout

  /// Creates a reader of a statement's rows; the query names the wanted properties.
  init(
    _ statement: Statement,
    plan: RowPlan,
    references: ReferenceReader,
    wanted: [String] = []
  ) {
    self.statement = statement
    self.wanted = wanted
    handle = statement.handle
    self.plan = plan
    self.references = references
    layout = plan.base
    positions = layout.positions
    super.init(entity: layout.entity)
    scope = layout.scope
  }

  /// Returns whether the rows are those of a statement, and all of its columns are wanted.
  func reads(_ other: Statement, by otherPlan: RowPlan) -> Bool {
    statement === other && plan === otherPlan && wanted.isEmpty
  }

  /// Moves to the current row of the statement.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` for a row of an entity that the table cannot hold.
  func move() throws {
    key = .integer(sqlite3_column_int64(handle, 0))
    if plan.map.table.entityColumn != nil {
      guard let name = statement.text(at: 1), let layout = plan.layouts[name] else {
        throw DataStoreError(
          .storeDamaged,
          "a row names an entity that the schema lacks",
          entity: plan.map.entity.name
        )
      }
      if layout !== self.layout {
        self.layout = layout
        positions = layout.positions
        entity = layout.entity
        scope = layout.scope
      }
    }
  }

  override var version: Int64 { sqlite3_column_int64(handle, plan.versionPosition) }

  @inline(__always)
  private func column(_ index: Int) -> Int32 {
    positions.indices.contains(index) ? Int32(truncatingIfNeeded: positions[index]) : -1
  }

  /// Returns the column of a property, or `nil` if there is none or it has another storage class.
  @inline(__always)
  private func column(_ index: Int, _ storage: Int32) -> Int32? {
    guard positions.indices.contains(index) else { return nil }
    let column = Int32(truncatingIfNeeded: positions[index])
    return column >= 0 && sqlite3_column_type(handle, column) == storage ? column : nil
  }

  /// Columns that were not read are deferred, as are values in files that the query does not name.
  override func isDeferred(at index: Int) -> Bool {
    let column = Int(column(index))
    guard column >= 0 else {
      return layout.contents.indices.contains(index) && layout.contents[index] != nil
        && entity.properties[index].attributeType != nil
    }
    guard case .value(let type)? = layout.contents[index],
      let storage = type.referenceStorage, statement.storage(at: column) == storage
    else { return false }
    return !wanted.contains(entity.properties[index].name)
  }

  override func isNull(at index: Int) throws -> Bool {
    let column = column(index)
    return column < 0 || sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  override func integer(at index: Int) throws -> Int64 {
    guard let column = column(index, SQLITE_INTEGER) else { return try super.integer(at: index) }
    return sqlite3_column_int64(handle, column)
  }

  override func double(at index: Int) throws -> Double {
    guard let column = column(index, SQLITE_FLOAT) else { return try super.double(at: index) }
    return sqlite3_column_double(handle, column)
  }

  override func bool(at index: Int) throws -> Bool {
    guard let column = column(index, SQLITE_INTEGER) else { return try super.bool(at: index) }
    let number = sqlite3_column_int64(handle, column)
    guard number == 0 || number == 1 else { return try super.bool(at: index) }
    return number == 1
  }

  override func string(at index: Int) throws -> String {
    guard let column = column(index, SQLITE_TEXT), let text = statement.text(at: Int(column))
    else { return try super.string(at: index) }
    return text
  }

  override func date(at index: Int) throws -> Date {
    guard let column = column(index, SQLITE_FLOAT) else { return try super.date(at: index) }
    return Date(timeIntervalSinceReferenceDate: sqlite3_column_double(handle, column))
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    guard let column = column(index, SQLITE_INTEGER) else { return try super.reference(at: index) }
    return .integer(sqlite3_column_int64(handle, column))
  }

  override func value(at index: Int) throws -> StoreValue {
    let column = Int(column(index))
    guard column >= 0, let content = layout.contents[index] else { return .null }
    switch content {
    case .value(let type):
      if let value = statement.value(at: column, as: type) { return value }
      let property = entity.properties[index]
      if let value = try references.value(statement, at: column, as: type, entity, property) {
        return value
      }
    case .reference(let table, let entity):
      if statement.isNull(at: column) { return .null }
      if statement.storage(at: column) == .integer {
        return .identifier(
          try references.identifier(statement.integer(at: column), in: table, entity: entity)
        )
      }
    case .order(let entity):
      if statement.isNull(at: column) { return .null }
      if let text = statement.text(at: column) {
        return .identifiers(try references.identifiers(listed: text, entity: entity))
      }
    }
    throw DataStoreError(
      .storeDamaged,
      "the file has an invalid value of the property",
      entity: entity.name,
      property: entity.properties[index].name
    )
  }
}
