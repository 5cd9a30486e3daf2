import Foundation

/// What a predicate on history can ask a transaction for.
enum HistoryColumn {
  case number, token, timestamp, author, bundle, process, store, changes

  /// The column of a key path of a transaction.
  init?(_ keyPath: AnyKeyPath) {
    switch keyPath {
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id:
      self = .number
    case \DefaultHistoryTransaction.token: self = .token
    case \DefaultHistoryTransaction.timestamp: self = .timestamp
    case \DefaultHistoryTransaction.author: self = .author
    case \DefaultHistoryTransaction.bundleIdentifier: self = .bundle
    case \DefaultHistoryTransaction.processIdentifier: self = .process
    case \DefaultHistoryTransaction.storeIdentifier: self = .store
    case \DefaultHistoryTransaction.changes: self = .changes
    default: return nil
    }
  }

  /// What a store orders by for it; all tokens of one store come in the order of its numbers.
  var sortColumn: StoreHistoryQuery.Column? {
    switch self {
    case .number, .token: .number
    case .timestamp: .timestamp
    default: nil
    }
  }

  var text: StoreHistoryFilter.Text? {
    switch self {
    case .author: .author
    case .bundle: .bundle
    case .process: .process
    default: nil
    }
  }
}

/// Turns predicates on history into plain filters, for one store, as far as these can say them.
final class HistoryLowering {
  /// What is known of a predicate's node.
  struct Part {
    /// What holds wherever the node does, nil where nothing is known.
    var filter: StoreHistoryFilter?
    /// Whether the node also holds wherever that does.
    var isExact = false

    static let unknown = Part()
  }

  /// A token that the predicate compares transactions with.
  struct TokenUse {
    let token: DefaultHistoryToken
    /// Whether it asks for what comes after it.
    let asksForLater: Bool
  }

  private(set) var tokens: [TokenUse] = []
  private let variable: PredicateExpressions.VariableID
  private let store: String

  init(
    _ variable: PredicateExpressions.Variable<DefaultHistoryTransaction>,
    store: String
  ) {
    self.variable = variable.key
    self.store = store
  }

  /// What is known of a node that says whether something holds.
  func lower<E: PredicateExpression>(_ node: E) -> Part {
    if let known = node as? any HistoryNode { return known.part(by: self) }
    guard let constant = Self.constant(node) as? Bool else { return .unknown }
    return Part(filter: .constant(constant), isExact: true)
  }

  /// The value of a node in which no variable stands.
  static func constant<E: PredicateExpression>(_ node: E) -> E.Output? {
    try? node.evaluate(PredicateBindings())
  }

  /// What a node asks the transaction for.
  func column<E: PredicateExpression>(_ node: E) -> HistoryColumn? {
    (node as? any HistoryPathNode)?.path(of: variable).flatMap { HistoryColumn($0) }
  }

  /// What is known of a comparison.
  func comparison<L: PredicateExpression, R: PredicateExpression>(
    _ left: L,
    _ comparison: StoreHistoryFilter.Comparison,
    _ right: R
  ) -> Part {
    if let column = column(left), let value = Self.constant(right) {
      return part(column, comparison, value)
    }
    if let column = column(right), let value = Self.constant(left) {
      return part(column, comparison.flipped, value)
    }
    return .unknown
  }

  private func part(
    _ column: HistoryColumn,
    _ comparison: StoreHistoryFilter.Comparison,
    _ value: Any
  ) -> Part {
    switch column {
    case .number:
      guard let number = value as? Int64 else { return .unknown }
      return Part(filter: .number(comparison, number), isExact: true)
    case .timestamp:
      guard let date = value as? Date else { return .unknown }
      return Part(filter: .timestamp(comparison, date), isExact: true)
    case .token:
      guard let token = value as? DefaultHistoryToken else { return .unknown }
      return part(comparison, token)
    case .store:
      guard let other = value as? String else { return .unknown }
      return Part(filter: .constant(comparison.holds(store, other)), isExact: true)
    case .author, .bundle, .process: return textPart(column, comparison, value)
    case .changes: return .unknown
    }
  }

  private func part(
    _ comparison: StoreHistoryFilter.Comparison,
    _ token: DefaultHistoryToken
  ) -> Part {
    tokens.append(
      TokenUse(token: token, asksForLater: comparison == .greater || comparison == .greaterOrEqual)
    )
    return Part(filter: .number(comparison, token.tokenValue?[store] ?? 0), isExact: true)
  }

  private func textPart(
    _ column: HistoryColumn,
    _ comparison: StoreHistoryFilter.Comparison,
    _ value: Any
  ) -> Part {
    guard let text = column.text, let wanted = Self.text(value) else { return .unknown }
    let filter = StoreHistoryFilter.text(text, [wanted])
    switch comparison {
    case .equal: return Part(filter: filter, isExact: true)
    case .notEqual: return Part(filter: .not(filter), isExact: true)
    default: return .unknown
    }
  }

  /// The text in a value, which may be none; nil for a value of another kind.
  private static func text(_ value: Any) -> String?? {
    if let text = value as? String { return .some(text) }
    if let optional = value as? String? { return .some(optional) }
    return nil
  }

  /// What is known of the question whether a list has a transaction's text or number.
  func membership<S: PredicateExpression, E: PredicateExpression>(of element: E, in list: S) -> Part
  {
    guard let column = column(element), let values = Self.constant(list) else { return .unknown }
    if let numbers = values as? any Sequence<Int64>, case .number = column {
      return Part(filter: .numbers(Set(numbers)), isExact: true)
    }
    guard let text = column.text else { return .unknown }
    if let texts = values as? any Sequence<String> {
      return Part(filter: .text(text, Set(texts.map { $0 })), isExact: true)
    }
    if let texts = values as? any Sequence<String?> {
      return Part(filter: .text(text, Set(texts)), isExact: true)
    }
    return .unknown
  }
}

/// A node of a predicate on history of which something is known.
protocol HistoryNode {
  /// What is known.
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part
}

/// A node that follows a key path.
protocol HistoryPathNode {
  /// The key path that is followed from a variable, nil where it begins elsewhere.
  func path(of variable: PredicateExpressions.VariableID) -> AnyKeyPath?
}
