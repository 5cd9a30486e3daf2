import StoreProtocol

/// The values of one property for all rows of a table.
///
/// Only the array that the type needs is filled; the others stay empty and cost nothing.
struct Column: Sendable {
  let type: CellType
  private(set) var nulls = Bitmap()
  private(set) var integers: [Int64] = []
  private(set) var doubles: [Double] = []
  private(set) var strings: [String] = []
  private(set) var lists: [[Int64]] = []
  private(set) var values: [StoreValue] = []
  /// How many lists are there that are not null.
  private(set) var listCount = 0

  init(type: CellType) {
    self.type = type
  }

  @inline(__always)
  func isNull(_ slot: Int) -> Bool { type == .ephemeral || nulls.contains(slot) }

  /// The stored form of a row's value.
  @inline(__always)
  func cell(_ slot: Int) -> Cell {
    if isNull(slot) { return .null }
    switch type {
    case .bool, .integer, .reference: return .integer(integers[slot])
    case .double, .date: return .double(doubles[slot])
    case .string: return .string(strings[slot])
    case .references: return .keys(lists[slot])
    case .decimal, .data, .uuid, .unsigned, .codable: return .value(values[slot])
    case .ephemeral: return .null
    }
  }

  /// Adds the value of a new row at the end.
  @inline(__always)
  mutating func append(_ cell: Cell, at slot: Int) {
    switch type {
    case .bool, .integer, .reference:
      if case .integer(let value) = cell { integers.append(value) } else { integers.append(0) }
    case .double, .date:
      if case .double(let value) = cell { doubles.append(value) } else { doubles.append(0) }
    case .string:
      if case .string(let value) = cell { strings.append(value) } else { strings.append("") }
    case .references:
      if case .keys(let value) = cell {
        lists.append(value)
        listCount += 1
      } else {
        lists.append([])
      }
    case .decimal, .data, .uuid, .unsigned, .codable:
      if case .value(let value) = cell { values.append(value) } else { values.append(.null) }
    case .ephemeral: return
    }
    if case .null = cell { nulls.insert(slot) }
  }

  /// Replaces the value of a row.
  mutating func set(_ cell: Cell, at slot: Int) {
    if type == .references, !nulls.contains(slot) { listCount -= 1 }
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
    default: release(slot)
    }
  }

  /// Frees what a null row would keep in memory.
  private mutating func release(_ slot: Int) {
    if !strings.isEmpty { strings[slot] = "" }
    if !lists.isEmpty { lists[slot] = [] }
    if !values.isEmpty { values[slot] = .null }
  }

  mutating func reserve(_ count: Int) {
    switch type {
    case .bool, .integer, .reference: integers.reserveCapacity(count)
    case .double, .date: doubles.reserveCapacity(count)
    case .string: strings.reserveCapacity(count)
    case .references: lists.reserveCapacity(count)
    case .decimal, .data, .uuid, .unsigned, .codable: values.reserveCapacity(count)
    case .ephemeral: break
    }
  }
}
