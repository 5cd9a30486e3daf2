import Foundation
import StoreProtocol

/// Reads the values of rows directly from the columns.
final class StoredRowReader: RowReader {
  private let view: ReadView
  // A single fetch uses the reader, and its calls never overlap.
  @exclusivity(unchecked) private var source: LoadedTable?
  @exclusivity(unchecked) private var columns: [Column] = []
  @exclusivity(unchecked) private var table = 0
  @exclusivity(unchecked) private var slot = 0
  /// The values of the columns while direct access lasts.
  @exclusivity(unchecked) private var access = UnsafeBufferPointer<ColumnAccess>(
    start: nil,
    count: 0
  )
  private let wanted: [String]

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - view: The state of the rows.
  ///   - wanted: The properties that the query requests.
  init(_ view: ReadView, wanted: [String] = []) {
    self.view = view
    self.wanted = wanted
    super.init()
  }

  /// Switches to the rows of an entity.
  func enter(_ newSource: LoadedTable) {
    guard source !== newSource else { return }
    source = newSource
    columns = newSource.columns
    entity = newSource.entity
    table = newSource.number
    scope = newSource.table.scope
  }

  /// Switches to the rows of an entity, with direct access to their values for the duration of a
  /// call.
  ///
  /// The closure must not switch to other rows.
  func withDirectAccess(to newSource: LoadedTable, _ body: () throws -> Void) throws {
    enter(newSource)
    defer { access = UnsafeBufferPointer(start: nil, count: 0) }
    try newSource.table.withDirectAccess { rows in
      access = rows.columns
      try body()
    }
  }

  @inline(__always)
  private func access(to index: Int) -> ColumnAccess {
    index >= 0 && index < access.count ? access[index] : .none
  }

  /// Moves to a row of the entity.
  func move(to slot: Int, key: Int64) {
    self.slot = slot
    self.key = .integer(key)
  }

  override var version: Int64 { source?.table.rowVersion(slot) ?? 0 }

  override func value(at index: Int) throws -> StoreValue {
    guard entity.properties.indices.contains(index) else { return .null }
    if view.map.types[table][index] == .external {
      return try view.externalValue(table, slot, index)
    }
    return view.value(table, slot, index)
  }

  /// Whether a value is left in its file, which is the case unless the query requests its property.
  override func isDeferred(at index: Int) -> Bool {
    guard columns.indices.contains(index), case .external = columns[index].type,
      columns[index].files[slot] != nil
    else { return false }
    return !wanted.contains(entity.properties[index].name)
  }

  override func isNull(at index: Int) throws -> Bool {
    if let isNull = access(to: index).isNull(slot) { return isNull }
    guard columns.indices.contains(index) else { return true }
    // A reference to a deleted row is nil, which only a lookup of the row detects.
    if columns[index].type == .reference { return try value(at: index).isNull }
    return columns[index].isNull(slot)
  }

  override func integer(at index: Int) throws -> Int64 {
    if case .integers(let values, let nulls) = access(to: index), ColumnAccess.hasValue(slot, nulls)
    {
      return values[slot]
    }
    return try super.integer(at: index)
  }

  override func double(at index: Int) throws -> Double {
    if case .doubles(let values, let nulls) = access(to: index), ColumnAccess.hasValue(slot, nulls)
    {
      return values[slot]
    }
    return try super.double(at: index)
  }

  override func bool(at index: Int) throws -> Bool {
    if case .bools(let values, let nulls) = access(to: index), ColumnAccess.hasValue(slot, nulls) {
      return values[slot] != 0
    }
    return try super.bool(at: index)
  }

  override func string(at index: Int) throws -> String {
    if case .strings(let values, let nulls) = access(to: index), ColumnAccess.hasValue(slot, nulls)
    {
      return values[slot]
    }
    return try super.string(at: index)
  }

  override func date(at index: Int) throws -> Date {
    if case .dates(let values, let nulls) = access(to: index), ColumnAccess.hasValue(slot, nulls) {
      return Date(timeIntervalSinceReferenceDate: values[slot])
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
