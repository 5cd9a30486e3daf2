import StoreProtocol

/// The results of a differential run.
public struct DifferentialReport: Sendable {
  /// The number of queries.
  public private(set) var asked = 0
  /// The number of queries that matched some rows and not others.
  public private(set) var telling = 0
  /// The number of different results.
  public private(set) var failures = 0
  /// The different kinds of differences, each with the first case that showed it.
  public private(set) var findings: [DifferentialFinding] = []

  mutating func count(isDecisive: Bool) {
    asked += 1
    if isDecisive { telling += 1 }
  }

  mutating func add(_ finding: DifferentialFinding) {
    failures += 1
    if !findings.contains(where: { $0.shape == finding.shape }) { findings.append(finding) }
  }
}

extension DifferentialReport: CustomStringConvertible {
  /// The number of queries, and each difference with its test.
  public var description: String {
    let head = "\(asked) questions (\(telling) told rows apart), \(failures) differences"
    return ([head] + findings.map(\.description)).joined(separator: "\n\n")
  }
}

/// A difference, with the smallest case that shows it.
public struct DifferentialFinding: Sendable {
  /// The seed and number of the question that first showed it.
  public let origin: String
  /// The difference in the smallest case.
  public let difference: Difference
  /// The smallest case.
  public let smallest: DifferentialCase

  /// A description that identifies a kind of difference: the nodes that it needs, or the error's
  /// text.
  var shape: String {
    if difference.aspect == .error {
      let words = difference.found.split { !$0.isLetter && $0 != "/" }.filter { !$0.contains("/") }
      return words.prefix(9).joined(separator: " ")
    }
    let nodes = smallest.question.expressions.flatMap(\.nodes)
    return "\(difference.aspect) \(Set(nodes.map(\.kind)).sorted())"
  }
}

extension DifferentialFinding: CustomStringConvertible {
  /// The origin, the query as readable text, and a test to paste.
  public var description: String {
    let question =
      switch smallest.question {
      case .query(let query): query.description
      case .selection(let selection): "\(selection.query), grouped and selected"
      }
    return "\(origin): \(question)\n\(difference)\n\(SwiftSource.text(smallest))"
  }
}

extension QueryExpression {
  var caseName: String { Mirror(reflecting: self).children.first?.label ?? "" }

  /// The label and value of each associated value of the case, in the order of their declaration.
  var caseValues: [(label: String?, value: Any)] {
    guard let (_, values) = Mirror(reflecting: self).children.first else { return [] }
    let parts = Mirror(reflecting: values)
    guard parts.displayStyle == .tuple else { return [(nil, values)] }
    // Values without a label have their numbers, as ".0".
    return parts.children.map { ($0.label.flatMap { $0.hasPrefix(".") ? nil : $0 }, $0.value) }
  }

  /// The name of the node with its operation.
  var kind: String {
    let operations = caseValues.compactMap { _, value -> String? in
      switch value {
      case is QueryExpression, is AttributeType: nil
      case let flag as Bool: flag ? "closed" : nil
      case let operation as any RawRepresentable<String>: operation.rawValue
      default: nil
      }
    }
    return ([caseName] + operations).joined(separator: " ")
  }
}

extension SwiftSource {
  /// Returns a test that shows a difference, to paste into a test file.
  static func text(_ found: DifferentialCase) -> String {
    let rows = found.rows.map { "      \(text($0)),\n" }
    let deleted =
      found.deleted.isEmpty
      ? "" : "    deleted: \(list(found.deleted.sorted().map(String.init))),\n"
    let question =
      switch found.question {
      case .query(let query): "query: \(text(query))"
      case .selection(let selection): "selection: \(text(selection))"
      }
    return """
      @Test func `gives what the evaluator gives`() throws {
        try DifferentialCase(
          rows: [
      \(rows.joined())    ],
      \(deleted)    \(question)
        )
        .check(Fixture())
      }
      """
  }
}
