import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// A statement that groups the rows of a selection and computes its columns.
///
/// Keys must be equal in SQL if and only if they are in Swift. SQL's own functions compute the
/// columns if they return the same results, and otherwise a function that calls the contract's
/// code.
struct GroupStatement {
  let selection: StoreSelection
  let sql: SQLFragment
  private let keys: [LeafContent]
  private let columns: [Column]

  /// The way in which a column of the result is read.
  private enum Column {
    case key(Int)
    case count
    /// A value of a type, in the column after the keys.
    case value(AttributeType)
    /// JSON, and the accumulator whose result is used if there was no row.
    case json(AggregateAccumulator)
    /// The number of integers, and their sum.
    case integers(AggregateAccumulator)
  }

  /// Prepares a selection, or returns `nil` if SQL cannot group its rows.
  ///
  /// - Parameters:
  ///   - selection: The selection.
  ///   - plan: The plan by which its rows are found.
  /// - Throws: An error if the selection itself is invalid.
  init?(_ selection: StoreSelection, _ plan: QueryPlan) throws {
    guard let groups = selection.groups, plan.rest == nil else { return nil }
    var values = GroupTranslator(plan.translator, canJoin: plan.namesTables)
    guard let keys = try groups.mapUnlessNil({ try Self.key($0, &values) }),
      let columns = try selection.columns.mapUnlessNil({ try Self.column($0, &values) })
    else { return nil }
    self.selection = selection
    self.keys = keys.map(\.content)
    self.columns = columns.map(\.column)
    // An unused count of rows: a group must have some column.
    let texts = keys.map(\.text) + columns.map(\.text) + ["count(*)"]
    let table = plan.rows.map.table.sql + values.clauses
    var sql = plan.filtered("SELECT \(.list(texts)) FROM \(table)")
    if !keys.isEmpty {
      let ordinals = keys.indices.map { String($0 + 1) }.joined(separator: ", ")
      sql = "\(sql) GROUP BY \(ordinals)"
    }
    guard sql.isWithinLimits else { return nil }
    self.sql = sql
  }

  private static func key(
    _ expression: QueryExpression,
    _ values: inout GroupTranslator
  ) throws -> (text: SQLFragment, content: LeafContent)? {
    guard let term = try values.term(expression), term.content != .value(.codable),
      try values.translator.exactness(of: term) == .exact,
      let content = try values.translator.content(of: term)
    else { return nil }
    return (term.value, content)
  }

  private static func column(
    _ column: StoreSelection.Column,
    _ values: inout GroupTranslator
  ) throws -> (text: SQLFragment, column: Column)? {
    switch column {
    case .value: return nil
    // Keys and the count of rows are in the statement already.
    case .key(let number): return ("NULL", .key(number))
    case .count: return ("NULL", .count)
    case .aggregate(let function, let value, let type):
      let accumulator = try AggregateAccumulator(function, of: type)
      if let native = try native(function, value, &values) { return native }
      if let sum = try sum(function, value, type, &values) { return (sum, .integers(accumulator)) }
      return try values.translator.aggregate(value, accumulator).map { ($0, .json(accumulator)) }
    }
  }

  /// Returns the column that SQL computes as the contract requires, or `nil` if it cannot.
  private static func native(
    _ function: StoreSelection.Function,
    _ value: QueryExpression,
    _ values: inout GroupTranslator
  ) throws -> (text: SQLFragment, column: Column)? {
    guard let term = try values.term(value), case .value(let stored) = term.content
    else { return nil }
    let text = term.value
    if function == .count { return ("count(\(text))", .value(.int64)) }
    guard stored != .codable, try values.translator.exactness(of: term) == .exact else {
      return nil
    }
    switch function {
    case .distinctCount: return ("count(DISTINCT \(text))", .value(.int64))
    case .minimum where stored.isOrderedInSQL: return ("min(\(text))", .value(stored))
    case .maximum where stored.isOrderedInSQL: return ("max(\(text))", .value(stored))
    default: return nil
    }
  }

  /// Returns the SQL for the number of integers and their sum.
  ///
  /// SQLite's sum fails if it does not fit into 64 bits, and is a fraction if a value is no
  /// integer.
  private static func sum(
    _ function: StoreSelection.Function,
    _ value: QueryExpression,
    _ type: AttributeType,
    _ values: inout GroupTranslator
  ) throws -> SQLFragment? {
    guard function == .sum || function == .average,
      let term = try values.term(value), term.content == .value(type),
      type.isInteger, type != .uint64, try values.translator.exactness(of: term) == .exact
    else { return nil }
    return "count(\(term.value)) || ' ' || sum(\(term.value))"
  }

  /// Adds such a sum to an accumulator.
  private static func add(_ text: String, to accumulator: inout AggregateAccumulator) throws {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let count = Int(parts[0]), let sum = Int64(parts[1])
    else { throw DataStoreError.invalidQueryValue }
    accumulator.add(Int128(sum), over: count)
  }

  /// Reads the group at the statement's current row.
  func resultGroup(
    _ statement: Statement,
    resolve: (PersistentIdentifier) throws -> PersistentIdentifier
  ) throws -> ResultGroup {
    let key = try keys.enumerated().map { index, content in
      guard let value = statement.value(at: index, as: content) else {
        throw DataStoreError.invalidQueryValue
      }
      return try value.resolved(resolve)
    }
    let values = try columns.enumerated().map { index, column in
      try value(statement, keys.count + index, column, key).resolved(resolve)
    }
    return ResultGroup(key: GroupKey(key), values: values)
  }

  private func value(
    _ statement: Statement,
    _ index: Int,
    _ column: Column,
    _ key: [StoreValue]
  ) throws -> StoreValue {
    switch column {
    case .key(let number): return key[number]
    case .count: return .integer(statement.integer(at: keys.count + columns.count))
    case .value(let type):
      guard let value = statement.value(at: index, as: type) else {
        throw DataStoreError.invalidQueryValue
      }
      return value
    case .json(let accumulator):
      if statement.isNull(at: index) { return try accumulator.result() }
      guard let value = statement.value(at: index, as: .codable) else {
        throw DataStoreError.invalidQueryValue
      }
      return value
    case .integers(var accumulator):
      // Null if there was no value.
      if !statement.isNull(at: index) {
        try Self.add(statement.text(at: index) ?? "", to: &accumulator)
      }
      return try accumulator.result()
    }
  }
}

extension AttributeType {
  /// Whether the stored forms have the order of the values.
  fileprivate var isOrderedInSQL: Bool { self != .decimal && self != .codable }
}
