import Foundation
import StoreProtocol

/// Reads the values of rows straight from the columns.
final class StoredRowReader: RowReader {
  private let view: ReadView
  private var table = 0
  private var slot = 0

  init(_ view: ReadView) {
    self.view = view
    super.init(entity: StoreEntity(name: "", properties: []))
  }

  /// Moves to a row.
  func move(to row: StoredRow) {
    if entity !== row.entity { entity = row.entity }
    table = row.table
    slot = row.slot
  }

  /// The column of a property where it has a value in this row.
  @inline(__always)
  private func column(_ index: Int, _ type: CellType) -> Column? {
    guard let columns = view.tables[table]?.columns, index >= 0, index < columns.count,
      columns[index].type == type, !columns[index].isNull(slot)
    else { return nil }
    return columns[index]
  }

  override var version: Int64 { view.tables[table]?.table.rowVersion(slot) ?? 0 }

  override func value(at index: Int) throws -> StoreValue {
    guard entity.properties.indices.contains(index) else { return .null }
    return view.value(table, slot, index)
  }

  override func isNull(at index: Int) throws -> Bool {
    guard let columns = view.tables[table]?.columns, columns.indices.contains(index) else {
      return true
    }
    // A reference to a row that is gone is none, which only looking for the row tells.
    if columns[index].type == .reference { return try value(at: index).isNull }
    return columns[index].isNull(slot)
  }

  override func integer(at index: Int) throws -> Int64 {
    guard let columns = view.tables[table]?.columns, columns.indices.contains(index),
      case .integer = columns[index].type, !columns[index].isNull(slot)
    else { return try super.integer(at: index) }
    return columns[index].integer(slot)
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
