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

  mutating func count(isTelling: Bool) {
    asked += 1
    if isTelling { telling += 1 }
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
  /// The name of the node with its operation.
  var kind: String {
    switch self {
    case .constant: "constant"
    case .element: "element"
    case .property: "property"
    case .compare(let comparison, _, _): "compare \(comparison)"
    case .and: "and"
    case .or: "or"
    case .not: "not"
    case .arithmetic(let operation, _, _, _): "arithmetic \(operation)"
    case .negate: "negate"
    case .conditional: "conditional"
    case .coalesce: "coalesce"
    case .map: "map"
    case .unwrap: "unwrap"
    case .contains: "contains"
    case .isInRange(_, _, _, let closed): closed ? "isInRange closed" : "isInRange"
    case .quantified(let quantifier, _, _, _): "quantified \(quantifier)"
    case .filter: "filter"
    case .aggregate(let aggregate, _): "aggregate \(aggregate)"
    case .subscripted: "subscripted"
    case .text(let test, _, _): "text \(test)"
    case .matches: "matches"
    case .searches: "searches"
    case .isKind: "isKind"
    case .cast: "cast"
    }
  }
}
