import Foundation
import QueryEvaluation
import StoreProtocol

/// The groups of a selection over the rows of one table, whose keys are columns, or values that
/// depend on one reference only.
///
/// The results equal those of `SelectionEvaluator`, which supports any expression and is the test
/// oracle. Rows get the number of their group from their columns, and only aggregated columns are
/// read. The values of a referenced row are computed once, not for each row that refers to it.
struct ColumnGroups {
  private let selection: StoreSelection
  /// The functions that read the keys of a group from its first row.
  private let keys: [(StoredRow) throws -> StoreValue]
  private let number: (StoredRow) throws -> Int
  private let values: [((StoredRow) throws -> StoreValue)?]
  private let empty: [AggregateAccumulator?]
  private var accumulators: [[AggregateAccumulator?]]
  /// The first row of each group, and its number of rows.
  private var groups: [(first: StoredRow, count: Int)] = []

  /// Prepares a validated selection, or returns `nil` if its keys have another form.
  init?(_ selection: StoreSelection, _ source: LoadedTable, _ view: ReadView) throws {
    guard let expressions = selection.groups else { return nil }
    let evaluator = view.evaluator
    var numbers: [(StoredRow) throws -> Int] = []
    for expression in expressions {
      if let number = source.column(of: expression)?.numbering() {
        numbers.append { number($0.slot) }
      } else if let reference = source.onlyReference(in: expression) {
        numbers.append(
          Self.numbering(by: reference, try evaluator.reader(of: expression))
        )
      } else {
        return nil
      }
    }
    self.selection = selection
    keys = try expressions.map { try evaluator.reader(of: $0) }
    number = Self.combined(numbers)
    values = try selection.columns.map { column in
      guard case .aggregate(_, let value, _) = column else { return nil }
      let read = try evaluator.reader(of: value)
      return source.onlyReference(in: value).map { Self.remembering(by: $0, read) } ?? read
    }
    empty = try selection.columns.map { column in
      guard case .aggregate(let function, _, let type) = column else { return nil }
      return try AggregateAccumulator(function, of: type)
    }
    accumulators = selection.columns.map { _ in [] }
  }

  /// Returns one number for the combination of several keys.
  private static func combined(
    _ numbers: [(StoredRow) throws -> Int]
  ) -> (StoredRow) throws -> Int {
    guard let first = numbers.first else { return { _ in 0 } }
    return numbers.dropFirst().reduce(first) { first, second in
      var cached: [SIMD2<Int>: Int] = [:]
      return { row in
        let pair = SIMD2(try first(row), try second(row))
        if let number = cached[pair] { return number }
        cached[pair] = cached.count
        return cached.count - 1
      }
    }
  }

  /// Numbers values that depend on one reference of a row only.
  private static func numbering(
    by reference: Column,
    _ read: @escaping (StoredRow) throws -> StoreValue
  ) -> (StoredRow) throws -> Int {
    var cached: [Int64?: Int] = [:]
    // Referenced rows may have equal values.
    var numbers: [GroupKey: Int] = [:]
    return { row in
      let key = reference.key(row.slot)
      if let number = cached[key] { return number }
      let value = GroupKey([try read(row)])
      let number = numbers[value] ?? numbers.count
      numbers[value] = number
      cached[key] = number
      return number
    }
  }

  /// Returns a function that reads values which depend on one reference of a row only, and caches
  /// them for each referenced row.
  private static func remembering(
    by reference: Column,
    _ read: @escaping (StoredRow) throws -> StoreValue
  ) -> (StoredRow) throws -> StoreValue {
    var cached: [Int64?: StoreValue] = [:]
    return { row in
      let key = reference.key(row.slot)
      if let value = cached[key] { return value }
      let value = try read(row)
      cached[key] = value
      return value
    }
  }

  mutating func add(_ row: StoredRow) throws {
    let number = try number(row)
    if number == groups.count { begin(row) }
    groups[number].count += 1
    for position in values.indices {
      if let value = values[position] {
        accumulators[position][number]?.add(try value(row))
      }
    }
  }

  private mutating func begin(_ row: StoredRow) {
    groups.append((row, 0))
    for position in empty.indices { accumulators[position].append(empty[position]) }
  }

  /// Passes the groups to the closure, after all rows were added.
  mutating func finish(_ body: ([StoreValue]) throws -> Void) throws {
    var results: [ResultGroup] = []
    for (number, group) in groups.enumerated() {
      let key = try keys.map { try $0(group.first) }
      let values = try selection.columns.enumerated().map { position, column in
        switch column {
        case .key(let part): key[part]
        case .count: StoreValue.integer(Int64(group.count))
        case .aggregate: try accumulators[position][number]?.result() ?? .null
        case .value: StoreValue.null
        }
      }
      results.append(ResultGroup(key: GroupKey(key), values: values))
    }
    for result in try selection.windowed(results) { try body(result.values) }
  }
}

extension LoadedTable {
  /// Returns the column of an expression, or `nil` if it is not a property.
  fileprivate func column(of expression: QueryExpression) -> Column? {
    guard case .property(.element(0), let name) = expression else { return nil }
    return entity.indexByName[name].map { columns[$0] }
  }

  /// Returns the only reference on which an expression depends, or `nil` if there is none.
  fileprivate func onlyReference(in expression: QueryExpression) -> Column? {
    var names: Set<String> = []
    func collect(_ part: QueryExpression) -> Bool {
      switch part {
      case .element(0): return false
      case .property(.element(0), let name):
        names.insert(name)
        return true
      default: return part.children.allSatisfy(collect)
      }
    }
    guard collect(expression), names.count == 1, let name = names.first,
      let column = entity.indexByName[name].map({ columns[$0] }), column.type == .reference
    else { return nil }
    return column
  }
}

extension Column {
  /// Returns the key of the row that a row refers to.
  fileprivate func key(_ slot: Int) -> Int64? { nulls.contains(slot) ? nil : integers[slot] }

  /// Numbers the distinct values of the column from 0 in the order of the calls, or returns `nil`
  /// for columns that do not support this.
  fileprivate func numbering() -> ((Int) -> Int)? {
    switch type {
    case .bool, .integer: Self.numbering(integers, nulls) { $0 }
    case .string: Self.numbering(strings, nulls) { $0.comparable }
    // Both zeros are equal, as are all NaN.
    case .double, .date:
      Self.numbering(doubles, nulls) { $0.isNaN ? Double.nan.bitPattern : ($0 + 0).bitPattern }
    case .decimal, .data, .uuid, .unsigned, .codable, .reference, .references, .external: nil
    }
  }

  private static func numbering<Value, Key: Hashable>(
    _ values: [Value],
    _ nulls: Bitmap,
    _ key: @escaping (Value) -> Key
  ) -> (Int) -> Int {
    var cached: [Key: Int] = [:]
    var none: Int?
    return { slot in
      let next = cached.count + (none == nil ? 0 : 1)
      if nulls.contains(slot) {
        none = none ?? next
        return none ?? next
      }
      let key = key(values[slot])
      if let number = cached[key] { return number }
      cached[key] = next
      return next
    }
  }
}
