import QueryEvaluation
import StoreProtocol

/// Runs random queries about random rows on a store, and compares the results with the evaluator's.
///
/// Equal seeds result in equal queries everywhere. Failures are shrunk.
///
/// ```swift
/// let report = try DifferentialRun(Fixture(), seed: 1).report(questions: 1_000)
/// if !report.findings.isEmpty { Issue.record("\(report)") }
/// ```
public struct DifferentialRun {
  /// The schema with which the fixture's stores are opened.
  public static var schema: Schema { Sample.schema }

  private let makeBench: () throws -> StoreBench
  private let seed: UInt64
  private let rowCount: Int
  private let questionsPerData: Int

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - fixture: The fixture that creates the stores.
  ///   - seed: The seed of all random numbers.
  ///   - rowCount: The number of rows in the stores.
  ///   - questionsPerData: The number of queries before the rows are replaced.
  public init(
    _ fixture: some StoreFixture,
    seed: UInt64,
    rowCount: Int = 40,
    questionsPerData: Int = 100
  ) {
    makeBench = { try StoreBench(fixture) }
    self.seed = seed
    self.rowCount = rowCount
    self.questionsPerData = questionsPerData
  }

  /// Creates a run on further stores of a bench's kind.
  init(beside bench: StoreBench, seed: UInt64) {
    makeBench = bench.neighbour
    self.seed = seed
    rowCount = 40
    questionsPerData = 100
  }

  /// Runs queries until a number of queries or of distinct findings is reached.
  ///
  /// - Throws: The fixture's error if a store cannot be created.
  public func report(questions: Int, findings limit: Int = 3) throws -> DifferentialReport {
    var report = DifferentialReport()
    var data: UInt64 = 0
    while report.asked < questions, report.findings.count < limit, report.failures < limit * 10 {
      let count = min(questionsPerData, questions - report.asked)
      try ask(count, of: data, limit: limit, &report)
      data += 1
    }
    return report
  }

  private func ask(
    _ count: Int,
    of data: UInt64,
    limit: Int,
    _ report: inout DifferentialReport
  ) throws {
    let dataSeed = seed &* 1_000_003 &+ data
    let rows = try RowGenerator.rows(seed: dataSeed, count: rowCount)
    var source = RandomSource(seed: ~dataSeed)
    let deleted = Set(source.oneIn(2) ? source.some(of: rows.map(\.number), atMost: 3) : [])
    let check = try DifferentialCheck(makeBench(), rows, deleted: deleted)
    for number in 0..<count {
      let question = question(number, check.reference, &source, &report)
      guard let difference = check.difference(question) else { continue }
      let found = DifferentialCase(rows: rows, deleted: deleted, question: question)
      report.add(shrunk(found, difference, "seed \(seed), data \(data), question \(number)"))
      if report.findings.count >= limit { return }
    }
  }

  /// Returns a query that distinguishes rows, if one is easily found, or any other query.
  private func question(
    _ number: Int,
    _ reference: ReferenceRows,
    _ source: inout RandomSource,
    _ report: inout DifferentialReport
  ) -> DifferentialCase.Question {
    var maker = QueryGenerator(source: source, rows: reference.rows.map(\.identifier))
    defer { source = maker.source }
    if number.isMultiple(of: 5) {
      report.count(isDecisive: false)
      return .selection(maker.selection())
    }
    var query = maker.query()
    var isDecisive = reference.tellsApart(query)
    for _ in 0..<2 where !isDecisive {
      query = maker.query()
      isDecisive = reference.tellsApart(query)
    }
    report.count(isDecisive: isDecisive)
    return .query(query)
  }

  /// Returns the smallest case; the store is reloaded only if the rows differ.
  private func shrunk(
    _ found: DifferentialCase,
    _ difference: Difference,
    _ origin: String
  ) -> DifferentialFinding {
    var last: (rows: [DifferentialRow], deleted: Set<Int64>, check: DifferentialCheck)?
    let (smallest, remaining) = CaseShrinker.shrunk(found, difference) { candidate in
      do {
        if let last, last.rows == candidate.rows, last.deleted == candidate.deleted {
          return last.check.difference(candidate.question)
        }
        let check = try DifferentialCheck(
          makeBench(),
          candidate.rows,
          deleted: candidate.deleted
        )
        last = (candidate.rows, candidate.deleted, check)
        return check.difference(candidate.question)
      } catch {
        return nil
      }
    }
    return DifferentialFinding(origin: origin, difference: remaining, smallest: smallest)
  }
}
