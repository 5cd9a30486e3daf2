import Foundation
import StoreProtocol

/// Reads the values of rows straight from the columns.
final class StoredRowReader: RowReader {
  private let view: ReadView
  private var source: LoadedTable?
  private var columns: [Column] = []
  private var table = 0
  private var slot = 0
  private let wanted: [String]

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - view: The state that the rows are in.
  ///   - wanted: The properties that the query names.
  init(_ view: ReadView, wanted: [String] = []) {
    self.view = view
    self.wanted = wanted
    super.init(entity: StoreEntity(name: "", properties: []))
  }

  /// Moves to a row.
  func move(to row: StoredRow) {
    slot = row.slot
    guard source !== row.source else { return }
    source = row.source
    columns = row.source.columns
    entity = row.entity
    table = row.table
  }

  /// The column of a property where it has a value in this row.
  @inline(__always)
  private func column(_ index: Int, _ type: CellType) -> Column? {
    guard columns.indices.contains(index) else { return nil }
    let column = columns[index]
    return column.type == type && !column.isNull(slot) ? column : nil
  }

  override var version: Int64 { source?.table.rowVersion(slot) ?? 0 }

  override func value(at index: Int) throws -> StoreValue {
    guard entity.properties.indices.contains(index) else { return .null }
    if view.map.types[table][index] == .external {
      return try view.externalValue(table, slot, index)
    }
    return view.value(table, slot, index)
  }

  /// A value in a file is left there, unless the query names its property.
  override func isDeferred(at index: Int) -> Bool {
    guard let column = column(index, .external), column.files[slot] != nil else { return false }
    return !wanted.contains(entity.properties[index].name)
  }

  override func isNull(at index: Int) throws -> Bool {
    guard columns.indices.contains(index) else { return true }
    // A reference to a row that is gone is none, which only looking for the row tells.
    if columns[index].type == .reference { return try value(at: index).isNull }
    return columns[index].isNull(slot)
  }

  override func integer(at index: Int) throws -> Int64 {
    guard columns.indices.contains(index) else { return try super.integer(at: index) }
    let column = columns[index]
    guard case .integer = column.type, !column.isNull(slot) else {
      return try super.integer(at: index)
    }
    return column.integer(slot)
  }

  override func double(at index: Int) throws -> Double {
    if let column = column(index, .double) { return column.double(slot) }
    return try super.double(at: index)
  }

  override func bool(at index: Int) throws -> Bool {
    if let column = column(index, .bool) { return column.integer(slot) != 0 }
    return try super.bool(at: index)
  }

  override func string(at index: Int) throws -> String {
    if let column = column(index, .string) { return column.string(slot) }
    return try super.string(at: index)
  }

  override func date(at index: Int) throws -> Date {
    if let column = column(index, .date) {
      return Date(timeIntervalSinceReferenceDate: column.double(slot))
    }
    return try super.date(at: index)
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    guard entity.properties.indices.contains(index), entity.properties[index].isToOne else {
      return try super.reference(at: index)
    }
    return view.reference(table, slot, index)?.key
  }
}
