import Foundation
import StoreFiles
import StoreProtocol

/// The values of one property for all rows of a table.
///
/// It is a value type: copies share their storage until one of them changes.
struct Column: Sendable {
  /// The arrays of a column, of which only the one required by the type is filled.
  // Unchecked: `storage` below is changed only by the column that uniquely references it, after
  // `isKnownUniquelyReferenced` confirmed this; all other readers have their own reference.
  fileprivate final class Storage: @unchecked Sendable {
    // Accesses to these members never overlap, so no dynamic check is needed.
    @exclusivity(unchecked) var nulls = Bitmap()
    @exclusivity(unchecked) var integers: [Int64] = []
    @exclusivity(unchecked) var doubles: [Double] = []
    @exclusivity(unchecked) var strings: [String] = []
    @exclusivity(unchecked) var lists: [[Int64]] = []
    @exclusivity(unchecked) var values: [StoreValue] = []
    @exclusivity(unchecked) var files: [Int: FileReference] = [:]
    @exclusivity(unchecked) var listCount = 0

    init() {}

    init(copying other: Storage) {
      nulls = other.nulls
      integers = other.integers
      doubles = other.doubles
      strings = other.strings
      lists = other.lists
      values = other.values
      files = other.files
      listCount = other.listCount
    }
  }

  let type: CellType
  private var storage = Storage()

  init(type: CellType) {
    self.type = type
  }

  /// Creates the column of rows that were read; only the array required by the type has values.
  init(
    type: CellType,
    nulls: Bitmap,
    integers: [Int64] = [],
    doubles: [Double] = [],
    strings: [String] = []
  ) {
    self.type = type
    storage.nulls = nulls
    storage.integers = integers
    storage.doubles = doubles
    storage.strings = strings
  }

  /// The number of lists that are not null.
  var listCount: Int { storage.listCount }

  // The arrays by slot, for loops over many rows; arrays that the type does not require are empty.

  var nulls: Bitmap { storage.nulls }
  var integers: [Int64] { storage.integers }
  var doubles: [Double] { storage.doubles }
  var strings: [String] { storage.strings }

  /// Provides direct access to the values of a column whose readers use them unchanged.
  func withDirectAccess<Failure: Error>(
    _ body: (ColumnAccess) throws(Failure) -> Void
  ) throws(Failure) {
    let storage = storage
    try storage.nulls.withWords { (nulls) throws(Failure) in
      switch type {
      case .integer: try Self.borrow(storage.integers, nulls, ColumnAccess.integers, body)
      case .bool: try Self.borrow(storage.integers, nulls, ColumnAccess.bools, body)
      case .double: try Self.borrow(storage.doubles, nulls, ColumnAccess.doubles, body)
      case .date: try Self.borrow(storage.doubles, nulls, ColumnAccess.dates, body)
      case .string: try Self.borrow(storage.strings, nulls, ColumnAccess.strings, body)
      default: try body(.none)
      }
    }
  }

  private static func borrow<Value, Failure: Error>(
    _ values: [Value],
    _ nulls: ColumnAccess.Nulls,
    _ access: (UnsafeBufferPointer<Value>, ColumnAccess.Nulls) -> ColumnAccess,
    _ body: (ColumnAccess) throws(Failure) -> Void
  ) throws(Failure) {
    try values.withUnsafeBufferPointer { (values) throws(Failure) in
      try body(access(values, nulls))
    }
  }

  /// The number of slots, or 0 if the type has no values.
  var slotCount: Int {
    switch type {
    case .bool, .integer, .reference: storage.integers.count
    case .double, .date: storage.doubles.count
    case .string: storage.strings.count
    case .references: storage.lists.count
    case .decimal, .data, .uuid, .unsigned, .codable, .external: storage.values.count
    }
  }

  /// The files of the rows' data, by slot.
  var files: [Int: FileReference] { storage.files }

  @inline(__always)
  func isNull(_ slot: Int) -> Bool { storage.nulls.contains(slot) }

  @inline(__always)
  func integer(_ slot: Int) -> Int64 { storage.integers[slot] }

  @inline(__always)
  func double(_ slot: Int) -> Double { storage.doubles[slot] }

  @inline(__always)
  func string(_ slot: Int) -> String { storage.strings[slot] }

  @inline(__always)
  func keys(_ slot: Int) -> [Int64] { storage.lists[slot] }

  /// Returns the stored form of a row's value.
  @inline(__always)
  func cell(_ slot: Int) -> Cell {
    if isNull(slot) { return .null }
    switch type {
    case .bool, .integer, .reference: return .integer(storage.integers[slot])
    case .double, .date: return .double(storage.doubles[slot])
    case .string: return .string(storage.strings[slot])
    case .references: return .keys(storage.lists[slot])
    case .decimal, .data, .uuid, .unsigned, .codable: return .value(storage.values[slot])
    case .external: return storage.files[slot].map(Cell.file) ?? .value(storage.values[slot])
    }
  }

  /// Returns a row's value in a column that is not a relationship; null for data in a file.
  @inline(__always)
  func value(_ slot: Int) -> StoreValue { type.value(of: cell(slot)) }

  @inline(__always)
  private mutating func makeUnique() -> Storage {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
    return storage
  }

  /// Appends the value of a new row.
  mutating func append(_ cell: Cell, at slot: Int) {
    makeUnique().append(cell, at: slot, as: type)
  }

  /// Appends the values of another column of the same type, the first at a slot.
  mutating func append(_ other: Column, at slot: Int) {
    if slot == 0 {
      storage = other.storage
      return
    }
    let (storage, added) = (makeUnique(), other.storage)
    storage.nulls.formUnion(added.nulls, raisedBy: slot)
    storage.integers += added.integers
    storage.doubles += added.doubles
    storage.strings += added.strings
    storage.lists += added.lists
    storage.values += added.values
    for (offset, file) in added.files { storage.files[offset + slot] = file }
    storage.listCount += added.listCount
  }

  /// Replaces the value of a row.
  mutating func set(_ cell: Cell, at slot: Int) {
    makeUnique().set(cell, at: slot, as: type)
  }
}

// The changes are the storage's own. A column that appended and then set would hold a second
// reference to its storage meanwhile, and copy it for each value.
extension Column.Storage {
  fileprivate func append(_ cell: Cell, at slot: Int, as type: CellType) {
    switch type {
    case .bool, .integer, .reference: integers.append(0)
    case .double, .date: doubles.append(0)
    case .string: strings.append("")
    case .references:
      lists.append([])
      listCount += 1
    case .decimal, .data, .uuid, .unsigned, .codable, .external: values.append(.null)
    }
    set(cell, at: slot, as: type)
  }

  fileprivate func set(_ cell: Cell, at slot: Int, as type: CellType) {
    if type == .references, !nulls.contains(slot) { listCount -= 1 }
    if !files.isEmpty { files[slot] = nil }
    if case .null = cell { nulls.insert(slot) } else { nulls.remove(slot) }
    switch (type, cell) {
    case (.bool, .integer(let value)), (.integer, .integer(let value)),
      (.reference, .integer(let value)):
      integers[slot] = value
    case (.double, .double(let value)), (.date, .double(let value)): doubles[slot] = value
    case (.string, .string(let value)): strings[slot] = value
    case (.references, .keys(let value)):
      lists[slot] = value
      listCount += 1
    case (_, .value(let value)): values[slot] = value
    case (.external, .file(let reference)):
      values[slot] = .null
      files[slot] = reference
    default: release(slot)
    }
  }

  /// Releases the memory of a row's value that became null.
  private func release(_ slot: Int) {
    if !strings.isEmpty { strings[slot] = "" }
    if !lists.isEmpty { lists[slot] = [] }
    if !values.isEmpty { values[slot] = .null }
  }
}
