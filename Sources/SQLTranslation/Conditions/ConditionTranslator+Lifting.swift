import QueryEvaluation
import StoreProtocol

/// Row functions: the evaluator computes what SQL cannot express, from values that SQL can.
///
/// The expression is decomposed into its leaves, which SQL can express. They become arguments of a
/// function, and properties of the row over which the evaluator runs. Leaves are read before the
/// function begins. A leaf that may trap is read as nil, and traps when the evaluator reaches it.
extension ConditionTranslator {
  /// Translates a condition to a row function.
  package func judged(_ expression: QueryExpression, _ side: Side) throws -> SQLFragment? {
    guard let call = try call(.holds, expression, isTest: true) else { return nil }
    return side == .holds ? call : "NOT \(call)"
  }

  /// Returns bytes that order as the expression's values do; null for nil and for traps.
  package func sortKey(_ expression: QueryExpression) throws -> SQLFragment? {
    try call(.sortKey, expression, isTest: false)
  }

  /// Returns an aggregate computed from the values of all rows of a group.
  package func aggregate(
    _ expression: QueryExpression,
    _ accumulator: AggregateAccumulator
  ) throws -> SQLFragment? {
    try call(.aggregate, expression, isTest: false, accumulator)
  }

  private func call(
    _ kind: RowFunctionKind,
    _ expression: QueryExpression,
    isTest: Bool,
    _ accumulator: AggregateAccumulator? = nil
  ) throws -> SQLFragment? {
    guard let functions = dialect.functions else { return nil }
    let leaves = LeafList()
    guard let computed = try overLeaves(expression, leaves), leaves.count <= LeafList.maximum
    else { return nil }
    let function = RowCallback(
      try functions.make(computed, isTest: isTest, leaves.contents, catalog.schema, accumulator)
    )
    return "\(kind.rawValue)(\(SQLFragment.list(["\(bind: function)"] + leaves.texts)))"
  }

  /// Returns the expression over values that SQL can express, or `nil` if a part of it can be
  /// neither expressed nor computed.
  ///
  /// The values are added to the list.
  package func overLeaves(
    _ expression: QueryExpression,
    _ leaves: LeafList
  ) throws -> QueryExpression? {
    guard !expression.isDeeper(than: QueryExpression.maximumDepth) else { return nil }
    return try lifted(expression, leaves)
  }

  /// Returns the expression over its leaves, or `nil` if a part can be neither expressed nor
  /// computed.
  private func lifted(
    _ expression: QueryExpression,
    _ leaves: LeafList
  ) throws -> QueryExpression? {
    switch expression {
    case .constant: return expression
    case .element(let variable):
      if case .local(let kind) = scope[variable] { return kind == .value ? expression : nil }
      return try leaf(expression, leaves)
    case .property(let base, let name):
      if case .value = kind(of: base) {
        return try lifted(base, leaves).map { .property($0, name) }
      }
      return try leaf(expression, leaves)
    case .cast, .isKind: return try leaf(expression, leaves)
    case .map(let operand, let variable, let body):
      return try liftedMap(operand, variable, body, leaves)
    case .quantified(let quantifier, let list, let variable, let test):
      guard kind(of: list) == .value else { return try leaf(expression, leaves) }
      return try liftedLoop(list, variable, test, leaves) {
        .quantified(quantifier, $0, variable: variable, $1)
      }
    case .filter(let list, let variable, let test):
      guard kind(of: list) == .value else { return try leaf(expression, leaves) }
      return try liftedLoop(list, variable, test, leaves) {
        .filter($0, variable: variable, $1)
      }
    case .aggregate, .subscripted, .contains, .unwrap, .coalesce, .conditional:
      return try leaf(expression, leaves) ?? rebuilt(expression, leaves)
    default: return try rebuilt(expression, leaves)
    }
  }

  private func rebuilt(
    _ expression: QueryExpression,
    _ leaves: LeafList
  ) throws -> QueryExpression? {
    guard let children = try expression.children.mapUnlessNil({ try lifted($0, leaves) }) else {
      return nil
    }
    return expression.replacingChildren(children)
  }

  private func liftedLoop(
    _ list: QueryExpression,
    _ variable: Int,
    _ test: QueryExpression,
    _ leaves: LeafList,
    _ make: (QueryExpression, QueryExpression) -> QueryExpression
  ) throws -> QueryExpression? {
    guard let list = try lifted(list, leaves),
      let test = try binding(variable, to: .local(.value)).lifted(test, leaves)
    else { return nil }
    return make(list, test)
  }

  /// Translates the body of a map; if SQL can express the operand, it replaces the variable.
  private func liftedMap(
    _ operand: QueryExpression,
    _ variable: Int,
    _ body: QueryExpression,
    _ leaves: LeafList
  ) throws -> QueryExpression? {
    guard let value = try lifted(operand, leaves) else { return nil }
    let outer = withoutLocals
    if try outer.term(operand) != nil || outer.list(operand) != nil {
      let inner = binding(variable, to: .expression(operand, outer))
      return try inner.lifted(body, leaves).map {
        .conditional(.compare(.notEqual, value, .constant(.null)), then: $0, else: .constant(.null))
      }
    }
    return try binding(variable, to: .local(kind(of: operand))).lifted(body, leaves)
      .map { .map(value, variable: variable, body: $0) }
  }

  /// Returns an expression that SQL can express, as an argument.
  private func leaf(
    _ expression: QueryExpression,
    _ leaves: LeafList
  ) throws -> QueryExpression? {
    let outer = withoutLocals
    if let term = try outer.term(expression), let content = try content(of: term) {
      var bare = term
      bare.demands = []
      let value = leaves.leaf(bare.value, content)
      guard !term.demands.isEmpty else { return value }
      let isAllowed = leaves.leaf("(\(.all(term.demands))) IS TRUE", .boolean)
      return .conditional(isAllowed, then: value, else: .unwrap(.constant(.null)))
    }
    if case .objects = kind(of: expression) { return try outer.listLeaf(expression, leaves) }
    guard expression.isCondition, let holds = try outer.inWords(expression, .holds) else {
      return nil
    }
    guard conditionMayTrap(expression) else { return leaves.leaf("(\(holds)) IS TRUE", .boolean) }
    guard let fails = try outer.inWords(expression, .fails) else { return nil }
    return .unwrap(leaves.leaf("CASE WHEN \(holds) THEN 1 WHEN \(fails) THEN 0 END", .boolean))
  }

  private func listLeaf(
    _ expression: QueryExpression,
    _ leaves: LeafList
  ) throws -> QueryExpression? {
    guard let members = try list(expression) else { return nil }
    let scope = try catalog.scope(of: members.element.map.entity.name)
    var text = keyList(members)
    if !members.guards.isEmpty { text = "CASE WHEN \(.all(members.guards)) THEN \(text) END" }
    let list = leaves.leaf(text, .keys(scope))
    guard !members.demands.isEmpty else { return list }
    let isAllowed = leaves.leaf("(\(.all(members.demands))) IS TRUE", .boolean)
    return .conditional(isAllowed, then: list, else: .unwrap(.constant(.null)))
  }

  /// Returns how the values of a term are read, or `nil` if they are no values.
  package func content(of term: SQLTerm) throws -> LeafContent? {
    switch term.content {
    case .value(let type): .value(type)
    case .reference(_, let entity): .reference(try catalog.scope(of: entity))
    case .order: nil
    }
  }
}

/// The kinds of a row function's arguments.
package enum LeafContent {
  case value(AttributeType)

  /// The key of a row.
  case reference(PersistentIdentifier.Scope)

  /// A JSON list of keys.
  case keys(PersistentIdentifier.Scope)

  /// A Boolean, or null if there is none.
  case boolean
}

/// The arguments of a row function in the order of their discovery; equal SQL is one argument.
package final class LeafList {
  /// SQLite allows 127 arguments; the function itself is one of them.
  package static let maximum = 100

  package private(set) var texts: [SQLFragment] = []
  package private(set) var contents: [LeafContent] = []
  private var numbers: [SQLFragment: Int] = [:]

  package init() {}

  package var count: Int { texts.count }

  package func leaf(_ text: SQLFragment, _ content: LeafContent) -> QueryExpression {
    let number: Int
    if let earlier = numbers[text] {
      number = earlier
    } else {
      number = texts.count
      numbers[text] = number
      texts.append(text)
      contents.append(content)
    }
    return .property(.element(0), String(number))
  }
}
