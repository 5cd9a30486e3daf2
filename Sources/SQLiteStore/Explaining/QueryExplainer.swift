import Foundation
import SQLTranslation
import StoreProtocol

/// Explains how a query runs: SQLite's own steps, their indexes, and the number of rows.
struct QueryExplainer {
  /// The number up to which rows are counted.
  private static let mostCounted: Int64 = 100_000

  let plan: QueryPlan
  let catalog: Catalog
  let connection: Connection

  func explanation() throws -> StoreExplanation {
    let head = SQLFragment(plan.wanted.selection)
    return try explanation(of: plan.selection(head, isWindowed: plan.isNative))
  }

  func explanation(of selection: StoreSelection) throws -> StoreExplanation {
    if let groups = try GroupStatement(selection, plan) {
      return try explanation(of: groups.sql)
    }
    var explanation: StoreExplanation
    if let values = try ValueStatement(selection, plan) {
      explanation = try self.explanation(of: values.sql)
    } else {
      explanation = try self.explanation()
    }
    if selection.groups != nil {
      explanation.steps.append("the groups are computed over the rows, one by one")
    }
    return explanation
  }

  private func explanation(of sql: SQLFragment) throws -> StoreExplanation {
    let steps = try steps(of: sql)
    var explanation = StoreExplanation(
      store: "SQLiteStore",
      nativeFilter: plan.filter.judged,
      remainingFilter: plan.rest,
      sortsNatively: plan.order != nil,
      statements: [sql.text],
      steps: steps.map { String(repeating: "  ", count: $0.depth) + $0.text },
      indexes: try indexes(in: steps.map(\.text)),
      rowsExamined: try cost(steps.map(\.text)),
      missingIndex: missingIndex(steps.map(\.text))
    )
    try explanation.addRelatedIndex(for: plan.query, in: catalog.map.schema) { entity in
      let table = try catalog.map.entity(named: entity.name).table.name
      let isScanned = steps.contains { $0.text.hasPrefix("SCAN ") && $0.text.isStep(on: table) }
      return isScanned ? entity.indices + entity.allConstraints : nil
    }
    return explanation
  }

  private func missingIndex(_ steps: [String]) -> [String] {
    let name = plan.rows.map.table.name
    let entity = plan.rows.map.entity
    return entity.missingIndex(
      for: plan.query,
      scans: steps.contains { $0.hasPrefix("SCAN ") && $0.isStep(on: name) },
      sorts: steps.contains("USE TEMP B-TREE FOR ORDER BY"),
      besides: entity.indices + entity.allConstraints
    )
  }

  private func steps(of sql: SQLFragment) throws -> [(text: String, depth: Int)] {
    var depths: [Int64: Int] = [:]
    return try connection.withStatement("EXPLAIN QUERY PLAN \(sql)" as SQLFragment) { statement in
      try statement.rows { row in
        let depth = depths[row.integer(at: 1)].map { $0 + 1 } ?? 0
        depths[row.integer(at: 0)] = depth
        return (row.text(at: 3) ?? "", depth)
      }
    }
  }

  /// Returns the store's indexes that steps use, each once.
  private func indexes(in steps: [String]) throws -> [String] {
    // A file that is open for reading alone may have the indexes of an earlier format.
    let names = try catalog.map.indexes(format: 1).map(\.name)
    return steps.compactMap { Self.index(in: $0, among: names) }.withoutRepeats
  }

  private static func index(in step: String, among names: [String]) -> String? {
    for word in ["USING INDEX ", "USING COVERING INDEX "] {
      guard let range = step.range(of: word) else { continue }
      let rest = step[range.upperBound...]
      return names.filter { rest.hasPrefix($0) }.max { $0.count < $1.count }
    }
    return nil
  }
}

extension QueryExplainer {
  /// Returns the number of rows of the query's own table that SQLite examines.
  private func cost(_ steps: [String]) throws -> StoreExplanation.Cost {
    let name = plan.rows.map.table.name
    guard let step = steps.first(where: { $0.isStep(on: name) }) else { return .unknown }
    if step.hasPrefix("SCAN ") { return try scanCost() }
    // The condition for which the index is used is the one that results in this step alone.
    for fragment in plan.filter.fragments {
      let query = one(where: fragment)
      if try self.steps(of: query).first?.text.usesSameIndex(as: step) == true {
        return try counted(query)
      }
    }
    return .unknown
  }

  private func scanCost() throws -> StoreExplanation.Cost {
    let total = try counted("SELECT 1 FROM \(plan.rows.map.table.sql)")
    // The scan ends as soon as the window is full.
    guard plan.filter.fragments.isEmpty, plan.isNative, let end = plan.query.windowEnd,
      case .rows(let count) = total, plan.query.sort.isEmpty
    else { return total }
    return .rows(min(count, end))
  }

  private func one(where condition: SQLFragment) -> SQLFragment {
    "SELECT 1 FROM \(plan.rows.map.table.sql) WHERE \(condition)"
  }

  /// Returns the number of rows of a query, counted up to `mostCounted`.
  private func counted(_ query: SQLFragment) throws -> StoreExplanation.Cost {
    let limit = SQLValue.integer(Self.mostCounted + 1)
    let sql: SQLFragment = "SELECT count(*) FROM (\(query) LIMIT \(bind: limit))"
    let count = try connection.withStatement(sql) { try $0.first { $0.integer(at: 0) } } ?? 0
    return count > Self.mostCounted ? .about(Int(count)) : .rows(Int(count))
  }
}

extension String {
  /// Whether a step of a plan reads a table under its own name.
  fileprivate func isStep(on table: String) -> Bool {
    for word in ["SCAN ", "SEARCH "] where hasPrefix(word) {
      let rest = dropFirst(word.count)
      return rest == table || rest.hasPrefix(table + " ")
    }
    return false
  }

  /// Whether two steps read a table by the same index; one of them may use it as a covering index.
  fileprivate func usesSameIndex(as other: String) -> Bool {
    let words = (replacingCovering, other.replacingCovering)
    return words.0 == words.1
  }

  private var replacingCovering: String {
    guard let range = range(of: "USING COVERING INDEX") else { return self }
    return replacingCharacters(in: range, with: "USING INDEX")
  }
}
