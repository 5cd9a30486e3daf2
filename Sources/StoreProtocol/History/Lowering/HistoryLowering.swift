import Foundation

/// The columns of a transaction that a predicate on history can use.
enum HistoryColumn {
  case number, token, timestamp, author, bundle, process, store, changes

  /// Creates the column for a key path of a transaction.
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

  /// The column by which a store sorts for this one; the tokens of one store sort by its numbers.
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

/// Translates predicates on history into plain filters for one store, as far as possible.
final class HistoryLowering {
  /// The result of translating a predicate's node.
  struct Part {
    /// A filter that holds whenever the node does, or `nil` if there is none.
    var filter: StoreHistoryFilter?
    /// Whether the node also holds whenever the filter does.
    var isExact = false

    static let unknown = Part()
  }

  /// A token that the predicate compares transactions with.
  struct TokenUse {
    let token: DefaultHistoryToken
    /// Whether the predicate selects transactions after the token.
    let requiresLaterHistory: Bool
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

  /// Translates a Boolean node.
  func lower<E: PredicateExpression>(_ node: E) -> Part {
    if let historyNode = node as? any HistoryNode { return historyNode.part(by: self) }
    guard let constant = Self.constant(node) as? Bool else { return .unknown }
    return Part(filter: .constant(constant), isExact: true)
  }

  /// Returns the value of a node that contains no variable.
  static func constant<E: PredicateExpression>(_ node: E) -> E.Output? {
    try? node.evaluate(PredicateBindings())
  }

  /// Returns the column of the transaction that a node reads.
  func column<E: PredicateExpression>(_ node: E) -> HistoryColumn? {
    (node as? any HistoryPathNode)?.path(of: variable).flatMap { HistoryColumn($0) }
  }

  /// Translates a comparison.
  func comparison<L: PredicateExpression, R: PredicateExpression>(
    _ left: L,
    _ comparison: QueryExpression.Comparison,
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
    _ comparison: QueryExpression.Comparison,
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
    _ comparison: QueryExpression.Comparison,
    _ token: DefaultHistoryToken
  ) -> Part {
    tokens.append(
      TokenUse(
        token: token,
        requiresLaterHistory: comparison == .greater || comparison == .greaterOrEqual
      )
    )
    return Part(filter: .number(comparison, token.tokenValue?[store] ?? 0), isExact: true)
  }

  private func textPart(
    _ column: HistoryColumn,
    _ comparison: QueryExpression.Comparison,
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

  /// Returns the string in a value, which may be absent, or `nil` for a value of another kind.
  private static func text(_ value: Any) -> String?? {
    if let text = value as? String { return .some(text) }
    if let optional = value as? String? { return .some(optional) }
    return nil
  }

  /// Translates the membership of a transaction's string or number in a list.
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

/// A predicate node on history that can be translated.
protocol HistoryNode {
  /// Returns the translation.
  func part(by lowering: HistoryLowering) -> HistoryLowering.Part
}

/// A node that follows a key path.
protocol HistoryPathNode {
  /// Returns the key path from a variable, or `nil` if the key path starts elsewhere.
  func path(of variable: PredicateExpressions.VariableID) -> AnyKeyPath?
}
