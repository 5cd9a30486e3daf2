import Foundation
import StoreProtocol

/// Reads the values of rows straight from the columns.
final class StoredRowReader: RowReader {
  private let view: ReadView
  // One fetch uses the reader, and no call of it runs within another.
  @exclusivity(unchecked) private var source: LoadedTable?
  @exclusivity(unchecked) private var columns: [Column] = []
  @exclusivity(unchecked) private var table = 0
  @exclusivity(unchecked) private var slot = 0
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

  /// Enters the rows of an entity.
  func enter(_ newSource: LoadedTable) {
    guard source !== newSource else { return }
    source = newSource
    columns = newSource.columns
    entity = newSource.entity
    table = newSource.number
  }

  /// Moves to a row of the entity.
  func move(to slot: Int) { self.slot = slot }

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
    guard columns.indices.contains(index), case .external = columns[index].type,
      columns[index].files[slot] != nil
    else { return false }
    return !wanted.contains(entity.properties[index].name)
  }

  override func isNull(at index: Int) throws -> Bool {
    guard columns.indices.contains(index) else { return true }
    // A reference to a row that is gone is none, which only looking for the row tells.
    if columns[index].type == .reference { return try value(at: index).isNull }
    return columns[index].isNull(slot)
  }

  override func integer(at index: Int) throws -> Int64 {
    guard columns.indices.contains(index), case .integer = columns[index].type,
      columns[index].hasValue(slot)
    else { return try super.integer(at: index) }
    return columns[index].integer(slot)
  }

  override func double(at index: Int) throws -> Double {
    guard columns.indices.contains(index), case .double = columns[index].type,
      columns[index].hasValue(slot)
    else { return try super.double(at: index) }
    return columns[index].double(slot)
  }

  override func bool(at index: Int) throws -> Bool {
    guard columns.indices.contains(index), case .bool = columns[index].type,
      columns[index].hasValue(slot)
    else { return try super.bool(at: index) }
    return columns[index].integer(slot) != 0
  }

  override func string(at index: Int) throws -> String {
    guard columns.indices.contains(index), case .string = columns[index].type,
      columns[index].hasValue(slot)
    else { return try super.string(at: index) }
    return columns[index].string(slot)
  }

  override func date(at index: Int) throws -> Date {
    guard columns.indices.contains(index), case .date = columns[index].type,
      columns[index].hasValue(slot)
    else { return try super.date(at: index) }
    return Date(timeIntervalSinceReferenceDate: columns[index].double(slot))
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    guard entity.properties.indices.contains(index), entity.properties[index].isToOne else {
      return try super.reference(at: index)
    }
    return view.reference(table, slot, index)?.key
  }
}
