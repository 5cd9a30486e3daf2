import StoreProtocol

/// Rows and a query, whose result must equal the evaluator's.
///
/// A failure of the random tests prints a shrunk case as a test. Paste it into a file that imports
/// Foundation, `StoreConformance` and the store.
public struct DifferentialCase: Hashable, Sendable {
  /// A request for rows or values.
  public enum Question: Hashable, Sendable {
    /// The rows of a query.
    case query(StoreQuery)
    /// The values of a selection.
    case selection(StoreSelection)
  }

  /// The rows to save.
  public var rows: [DifferentialRow]
  /// The numbers of the rows to delete before the query.
  public var deleted: Set<Int64>
  /// The query or selection.
  public var question: Question

  init(rows: [DifferentialRow], deleted: Set<Int64>, question: Question) {
    self.rows = rows
    self.deleted = deleted
    self.question = question
  }

  /// Creates a case with a query.
  public init(rows: [DifferentialRow], deleted: Set<Int64> = [], query: StoreQuery) {
    self.init(rows: rows, deleted: deleted, question: .query(query))
  }

  /// Creates a case with a selection.
  public init(rows: [DifferentialRow], deleted: Set<Int64> = [], selection: StoreSelection) {
    self.init(rows: rows, deleted: deleted, question: .selection(selection))
  }

  /// Runs the case on a new store.
  ///
  /// - Throws: The ``Difference`` between its result and the evaluator's.
  public func check(_ fixture: some StoreFixture) throws {
    if let difference = difference(in: try StoreBench(fixture)) { throw difference }
  }

  /// Returns the difference for the query, or `nil` if there is none.
  private func difference(in bench: StoreBench) -> Difference? {
    do {
      return try DifferentialCheck(bench, rows, deleted: deleted).difference(question)
    } catch {
      return Difference(.error, expected: "a store with the rows", found: "\(error)")
    }
  }
}

extension DifferentialCase.Question {
  /// All expressions that are computed for each row.
  var expressions: [QueryExpression] {
    switch self {
    case .query(let query): return (query.filter.map { [$0] } ?? []) + query.sort.map(\.value)
    case .selection(let selection):
      let columns = selection.columns.compactMap { column -> QueryExpression? in
        switch column {
        case .value(let value), .aggregate(_, let value, _): value
        case .key, .count: nil
        }
      }
      let query = DifferentialCase.Question.query(selection.query)
      return query.expressions + (selection.groups ?? []) + columns
    }
  }
}
