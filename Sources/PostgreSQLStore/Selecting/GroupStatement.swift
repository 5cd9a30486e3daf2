import Foundation
import PostgreSQLClient
import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// A statement that groups the rows of a selection and computes its columns.
///
/// The sums of floating-point numbers are computed from their values, because the server rounds each
/// addition. The last column is true if a group has a value that represents several ones of Swift,
/// of which the server returns any: NaN, zero with a sign, and strings that are not in composed
/// form. Then the evaluator computes the groups.
struct GroupStatement {
  let statement: Statement
  private let selection: StoreSelection
  private let decoder: RecordDecoder
  private let keys: [ColumnKind]
  private let columns: [Column]

  /// The maximum number of columns; the server allows 1,664.
  private static let maximum = 1_000

  /// The way in which a column of the result is read.
  private enum Column {
    case key(Int)
    case count
    case value(ColumnKind)
    /// The number of integers, and their sum.
    case integers(AggregateAccumulator)
    /// The number of decimals, their sum, that of their magnitudes, and their digits after the
    /// point.
    case decimals(AggregateAccumulator)
    /// All floating-point numbers.
    case reals(AggregateAccumulator)
  }

  /// Prepares a selection, or returns `nil` if SQL cannot group its rows.
  ///
  /// - Parameters:
  ///   - selection: The selection.
  ///   - plan: The plan by which its rows are found.
  ///   - map: The mapping of the store's schema.
  /// - Throws: An error if the selection itself is invalid.
  init?(_ selection: StoreSelection, _ plan: QueryPlan, _ map: StoreMap) throws {
    guard let groups = selection.groups, plan.filter.rest.isEmpty else { return nil }
    var terms = GroupTerms(plan, map)
    guard let keys = try groups.mapUnlessNil({ try terms.key($0) }),
      let columns = try selection.columns.mapUnlessNil({ try Self.column($0, &terms) }),
      keys.count + columns.count <= Self.maximum
    else { return nil }
    self.selection = selection
    decoder = RecordDecoder(map: map)
    self.keys = keys.map(\.kind)
    self.columns = columns.map(\.column)
    // Properties have no such names.
    let names = keys.indices.map { "_g\($0)" }
    let texts: [SQLFragment] =
      zip(keys, names).map { "\($0.text) AS \($1)" } + columns.map(\.text)
      + ["count(*)", "bool_or(\(.any(terms.inexactConditions)))"]
    let table = plan.table.name + terms.values.clauses
    var sql: SQLFragment = "SELECT \(.list(texts)) FROM \(table) \(plan.condition)"
    if !names.isEmpty { sql = "\(sql)GROUP BY \(names.joined(separator: ", "))" }
    guard sql.isWithinLimits else { return nil }
    statement = sql.statement
  }

  private static func column(
    _ column: StoreSelection.Column,
    _ terms: inout GroupTerms
  ) throws -> (text: SQLFragment, column: Column)? {
    switch column {
    case .value: return nil
    case .key(let number): return ("NULL", .key(number))
    case .count: return ("NULL", .count)
    case .aggregate(let function, let value, let type):
      let accumulator = try AggregateAccumulator(function, of: type)
      guard let term = try terms.values.term(value) else { return nil }
      let text = term.value
      switch function {
      case .count: return ("count(\(text))", .value(.integer))
      case .distinctCount:
        guard term.content != .value(.codable) else { return nil }
        return ("count(DISTINCT \(text))", .value(.integer))
      case .sum, .average:
        guard term.content == .value(type) else { return nil }
        return numbers(text, type, accumulator)
      case .minimum, .maximum:
        guard case .value(let stored) = term.content,
          let extreme = stored.extreme(of: text, isLeast: function == .minimum),
          terms.addInexactConditions(of: term, stored)
        else { return nil }
        return (extreme, .value(ColumnKind(stored)))
      }
    }
  }

  /// Returns what the sum and the average of numbers are computed from.
  private static func numbers(
    _ text: SQLFragment,
    _ type: AttributeType,
    _ accumulator: AggregateAccumulator
  ) -> (text: SQLFragment, column: Column)? {
    let sum: SQLFragment = "count(\(text)) || ' ' || sum(\(text))"
    switch type {
    case .float, .double: return ("array_agg(\(text))", .reals(accumulator))
    case .decimal:
      let digits: SQLFragment = "sum(abs(\(text))) || ' ' || max(scale(\(text)))"
      return ("\(sum) || ' ' || \(digits)", .decimals(accumulator))
    case _ where type.isInteger: return (sum, .integers(accumulator))
    default: return nil
    }
  }

  /// Returns the rows of the selection's result, or `nil` if the evaluator has to compute them.
  func rows(_ result: QueryResult) throws -> [[StoreValue]]? {
    let end = keys.count + columns.count
    let groups = try (0..<result.rowCount).mapUnlessNil { row -> ResultGroup? in
      if try result.value(row, end + 1, as: Bool.self) == true { return nil }
      let key = try keys.enumerated().map { try decoder.value($1, result, row, $0) ?? .null }
      let values = try columns.enumerated().mapUnlessNil {
        try value(result, row, keys.count + $0, $1, key)
      }
      return values.map { ResultGroup(key: GroupKey(key), values: $0) }
    }
    return try groups.map { try selection.windowed($0).map(\.values) }
  }

  private func value(
    _ result: QueryResult,
    _ row: Int,
    _ index: Int,
    _ column: Column,
    _ key: [StoreValue]
  ) throws -> StoreValue? {
    switch column {
    case .key(let number): return key[number]
    case .count:
      return try decoder.value(.integer, result, row, keys.count + columns.count)
    case .value(let kind): return try decoder.value(kind, result, row, index) ?? .null
    case .reals(var accumulator):
      for number in try result.array(row, index, of: Double.self) ?? [] {
        if let number { accumulator.add(.double(number)) }
      }
      return try accumulator.result()
    case .integers(var accumulator):
      if let parts = try parts(result, row, index, 2) {
        guard let sum = Int128(parts.texts[1]) else { throw damage }
        accumulator.add(sum, over: parts.count)
      }
      return try accumulator.result()
    case .decimals(var accumulator):
      if let parts = try parts(result, row, index, 4) {
        guard let sum = parts.exactSum else { return nil }
        accumulator.add(sum, over: parts.count)
      }
      return try accumulator.result()
    }
  }

  /// Returns the parts of a sum, or `nil` if there were no numbers.
  private func parts(
    _ result: QueryResult,
    _ row: Int,
    _ index: Int,
    _ size: Int
  ) throws -> SumParts? {
    guard let text = try result.value(row, index, as: String.self) else { return nil }
    let texts = text.split(separator: " ")
    guard texts.count == size, let count = Int(texts[0]) else { throw damage }
    return SumParts(count: count, texts: texts)
  }

  private var damage: DataStoreError { decoder.damaged("returned a sum that is no number") }
}

/// The parts of a sum that the server returns as text.
///
/// They are the number of values and the sum, for decimals also the sum of the magnitudes and the
/// number of digits after the point.
private struct SumParts {
  let count: Int
  let texts: [Substring]

  /// The sum of decimals, or `nil` if their addition in Swift may round: `Decimal` has 38 digits.
  var exactSum: Decimal? {
    let whole = texts[2].prefix { $0 != "." }
    guard let scale = Int(texts[3]), whole.allSatisfy(\.isNumber), whole.count + scale < 38 else {
      return nil
    }
    return Decimal(string: String(texts[1]))
  }
}

extension AttributeType {
  /// Returns the least or greatest value, or `nil` if the server has no such function.
  fileprivate func extreme(of text: SQLFragment, isLeast: Bool) -> SQLFragment? {
    let function = isLeast ? "min" : "max"
    switch self {
    case .bool: return "\(isLeast ? "bool_and" : "bool_or")(\(text))"
    case .uuid: return "CAST(\(function)(CAST(\(text) AS text) COLLATE \"C\") AS uuid)"
    case .data, .codable: return nil
    default: return "\(function)(\(text))"
    }
  }
}
