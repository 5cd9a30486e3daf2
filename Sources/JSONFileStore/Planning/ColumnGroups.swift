import Foundation
import StoreProtocol

/// The groups of a selection over the rows of one table, whose keys are plain columns.
///
/// It gives what `SelectionEvaluator` gives, which knows any expression: rows get the number of their
/// group by their columns, and only the columns that are aggregated are read.
struct ColumnGroups {
  private let selection: StoreSelection
  private let keys: [Column]
  private let number: (Int) -> Int
  private let values: [((StoredRow) throws -> StoreValue)?]
  private let empty: [AggregateAccumulator?]
  private var accumulators: [[AggregateAccumulator?]]
  /// The first row of each group, and how many it has.
  private var groups: [(first: Int, count: Int)] = []

  /// Prepares a selection that was found to be sound, nil where its keys are no plain columns.
  init?(_ selection: StoreSelection, _ source: LoadedTable, _ view: ReadView) throws {
    guard let expressions = selection.groups else { return nil }
    var keys: [Column] = []
    for expression in expressions {
      guard case .property(.element(0), let name) = expression,
        let property = source.entity.indexByName[name]
      else { return nil }
      keys.append(source.columns[property])
    }
    let numbers = keys.compactMap { $0.numbering() }
    guard numbers.count == keys.count else { return nil }
    self.selection = selection
    self.keys = keys
    number = Self.combined(numbers)
    let evaluator = view.evaluator
    values = try selection.columns.map { column in
      guard case .aggregate(_, let value, _) = column else { return nil }
      return try evaluator.reader(of: value)
    }
    empty = try selection.columns.map { column in
      guard case .aggregate(let function, _, let type) = column else { return nil }
      return try AggregateAccumulator(function, of: type)
    }
    accumulators = selection.columns.map { _ in [] }
  }

  /// One number for the numbers of several keys.
  private static func combined(_ numbers: [(Int) -> Int]) -> (Int) -> Int {
    guard let first = numbers.first else { return { _ in 0 } }
    return numbers.dropFirst().reduce(first) { first, second in
      var known: [SIMD2<Int>: Int] = [:]
      return { slot in
        let pair = SIMD2(first(slot), second(slot))
        if let number = known[pair] { return number }
        known[pair] = known.count
        return known.count - 1
      }
    }
  }

  /// Takes a row into account.
  mutating func add(_ row: StoredRow) throws {
    let number = number(row.slot)
    if number == groups.count { begin(row.slot) }
    groups[number].count += 1
    for position in values.indices {
      if let value = values[position] {
        accumulators[position][number]?.add(try value(row))
      }
    }
  }

  private mutating func begin(_ slot: Int) {
    groups.append((slot, 0))
    for position in empty.indices { accumulators[position].append(empty[position]) }
  }

  /// Gives the groups, once all rows were added.
  mutating func finish(_ body: ([StoreValue]) throws -> Void) throws {
    if keys.isEmpty, groups.isEmpty { begin(0) }
    var answers: [GroupedAnswer] = []
    for (number, group) in groups.enumerated() {
      let key = keys.map { $0.value(group.first) }
      let values = try selection.columns.enumerated().map { position, column in
        switch column {
        case .key(let part): key[part]
        case .count: StoreValue.integer(Int64(group.count))
        case .aggregate: try accumulators[position][number]?.result() ?? .null
        case .value: StoreValue.null
        }
      }
      answers.append(GroupedAnswer(key: GroupKey(key), values: values))
    }
    for answer in try selection.windowed(answers) { try body(answer.values) }
  }
}

extension Column {
  /// Numbers the different values of the column from 0 in the order in which rows are asked for,
  /// nil for columns whose values are not told apart so simply.
  fileprivate func numbering() -> ((Int) -> Int)? {
    switch type {
    case .bool, .integer: Self.numbering(integers, nulls) { $0 }
    case .string: Self.numbering(strings, nulls) { $0 }
    // Both zeros are one, and so are all NaN.
    case .double, .date:
      Self.numbering(doubles, nulls) { $0.isNaN ? Double.nan.bitPattern : ($0 + 0).bitPattern }
    case .decimal, .data, .uuid, .unsigned, .codable, .reference, .references, .external,
      .ephemeral:
      nil
    }
  }

  private static func numbering<Value, Key: Hashable>(
    _ values: [Value],
    _ nulls: Bitmap,
    _ key: @escaping (Value) -> Key
  ) -> (Int) -> Int {
    var known: [Key: Int] = [:]
    var none: Int?
    return { slot in
      let next = known.count + (none == nil ? 0 : 1)
      if nulls.contains(slot) {
        none = none ?? next
        return none ?? next
      }
      let key = key(values[slot])
      if let number = known[key] { return number }
      known[key] = next
      return next
    }
  }
}
