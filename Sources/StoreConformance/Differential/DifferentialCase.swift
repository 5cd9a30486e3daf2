import StoreProtocol

/// Rows and a question to a store, whose answer must be the evaluator's.
///
/// A failure of the random tests prints one of these, made as small as it can be, as a test to be
/// pasted into a file that imports Foundation, `StoreConformance` and the store.
public struct DifferentialCase: Hashable, Sendable {
  /// What is asked.
  public enum Question: Hashable, Sendable {
    /// The rows of a query.
    case query(StoreQuery)
    /// The values of a selection.
    case selection(StoreSelection)
  }

  /// The rows that are saved.
  public var rows: [DifferentialRow]
  /// The numbers of those that are deleted before the question is asked.
  public var deleted: Set<Int64>
  /// The question.
  public var question: Question

  init(rows: [DifferentialRow], deleted: Set<Int64>, question: Question) {
    self.rows = rows
    self.deleted = deleted
    self.question = question
  }

  /// Creates a case of a query.
  public init(rows: [DifferentialRow], deleted: Set<Int64> = [], query: StoreQuery) {
    self.init(rows: rows, deleted: deleted, question: .query(query))
  }

  /// Creates a case of a selection.
  public init(rows: [DifferentialRow], deleted: Set<Int64> = [], selection: StoreSelection) {
    self.init(rows: rows, deleted: deleted, question: .selection(selection))
  }

  /// Asks a store in a fresh place.
  ///
  /// - Throws: The ``Difference`` between its answer and the evaluator's.
  public func check(_ fixture: some StoreFixture) throws {
    if let difference = difference(in: try StoreBench(fixture)) { throw difference }
  }

  /// The difference that the question brings to light, nil for none.
  private func difference(in bench: StoreBench) -> Difference? {
    do {
      return try DifferentialCheck(bench, rows, deleted: deleted).difference(question)
    } catch {
      return Difference(.error, expected: "a store with the rows", found: "\(error)")
    }
  }
}

extension DifferentialCase.Question {
  /// All that is computed for each row.
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
