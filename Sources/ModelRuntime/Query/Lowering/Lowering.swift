import Foundation
import StoreProtocol
import Synchronization

/// Translates predicates into query expressions, node by node.
///
/// Foundation's nodes are generic types without a common interface, so each conforms to a custom
/// protocol. The error names a node that does not conform.
final class Lowering {
  let schema: Schema
  fileprivate var bound: [PredicateExpressions.VariableID: QueryExpression] = [:]
  private var nextVariable = 1
  /// The current nesting level of nodes.
  private var level: Int

  /// The maximum nesting level of nodes; a chain of operators, which becomes one list, has one
  /// level for each operator.
  static let maximumLevel = 3 * QueryExpression.maximumDepth

  /// Creates a lowering of a predicate, or of a predicate within another.
  init(schema: Schema, within outer: Lowering? = nil) {
    self.schema = schema
    level = outer?.level ?? 0
  }

  /// Returns the query expression that is equivalent to a node.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` with the name of the node that has no such
  ///   expression.
  func lower<E: PredicateExpression>(_ node: E) throws -> QueryExpression {
    guard let conformance = try NodeTypeCache.conformance(of: E.self) else {
      throw Self.unsupported(E.self, "a query cannot compute it")
    }
    level += 1
    defer { level -= 1 }
    guard level <= Self.maximumLevel else {
      throw SwiftDataError.unsupportedPredicate.with(QueryExpression.tooDeep)
    }
    // As an existential, each node would be copied into a box with its whole subtree.
    return try withUnsafePointer(to: node) { try conformance.lowered(at: $0, by: self) }
  }

  /// Returns the query expression of a whole predicate over a model, for the store of a scope.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` also if it nests too deeply.
  fileprivate func lowerWhole<E: PredicateExpression, T: PersistentModel>(
    _ node: E,
    over variable: PredicateExpressions.Variable<T>,
    in scope: QueryScope
  ) throws -> QueryExpression {
    bound[variable.key] = .element(0)
    let expression = try lower(node)
    guard !expression.isDeeper(than: QueryExpression.maximumDepth) else {
      throw SwiftDataError.unsupportedPredicate.with(QueryExpression.tooDeep)
    }
    guard expression.hasIdentifiers else { return expression }
    return try expression.withOwnIdentifiers(of: T.self, in: scope)
  }

  func bind<T>(_ variable: PredicateExpressions.Variable<T>, to expression: QueryExpression) {
    bound[variable.key] = expression
  }

  /// Binds a variable to a new number.
  func bind<T>(_ variable: PredicateExpressions.Variable<T>) -> Int {
    let number = nextVariable
    nextVariable += 1
    bound[variable.key] = .element(number)
    return number
  }

  /// Returns an error about a node, by the name of its kind; descriptions of whole trees can trap.
  static func unsupported(_ node: Any.Type, _ reason: String) -> SwiftDataError {
    let name = String(describing: node).prefix { $0 != "<" }
    return .unsupportedPredicate.with("\(name) is not supported here: \(reason)")
  }
}

/// A node of a predicate that has a query expression.
protocol LoweredNode: SendableMetatype {
  /// Throws if nodes of the type depend on an order that the stored forms of their values do not have.
  static func checkOrder() throws

  /// Returns the equivalent query expression.
  func lowered(by lowering: Lowering) throws -> QueryExpression
}

extension LoweredNode {
  static func checkOrder() throws {}

  /// Lowers the node of this type at an address.
  fileprivate static func lowered(
    at address: UnsafeRawPointer,
    by lowering: Lowering
  ) throws -> QueryExpression {
    try address.assumingMemoryBound(to: Self.self).pointee.lowered(by: lowering)
  }
}

extension PredicateExpressions.Variable: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    guard let value = lowering.bound[key] else {
      throw SwiftDataError.unsupportedPredicate.with("an unbound variable is used")
    }
    return value
  }
}

/// A cache of node types: a conformance check costs more than lowering the node.
private enum NodeTypeCache {
  private static let cache = Mutex<[ObjectIdentifier: any LoweredNode.Type]>([:])

  /// Returns the type of a node as one that can be lowered, or `nil` if it cannot.
  static func conformance(of node: Any.Type) throws -> (any LoweredNode.Type)? {
    if let cached = cache.withLock({ $0[ObjectIdentifier(node)] }) { return cached }
    guard let found = node as? any LoweredNode.Type else { return nil }
    // Not under the lock: this may call code of the program.
    try found.checkOrder()
    cache.withLock { $0[ObjectIdentifier(node)] = found }
    return found
  }
}

extension QueryExpression {
  /// Lowers a predicate over a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` with the part that queries do not support.
  package init<T: PersistentModel>(
    lowering predicate: Predicate<T>,
    in scope: QueryScope
  ) throws {
    self = try Lowering(schema: scope.schema)
      .lowerWhole(predicate.expression, over: predicate.variable, in: scope)
  }

  /// Lowers an expression over a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` with the part that queries do not support.
  package init<T: PersistentModel, Output>(
    lowering expression: Foundation.Expression<T, Output>,
    in scope: QueryScope
  ) throws {
    self = try Lowering(schema: scope.schema)
      .lowerWhole(expression.expression, over: expression.variable, in: scope)
  }
}

extension QueryExpression {
  /// Whether a constant contains identifiers.
  fileprivate var hasIdentifiers: Bool {
    switch self {
    case .constant(let value): value.hasIdentifiers
    case .element: false
    case .property(let base, _): base.hasIdentifiers
    case .compare(_, let left, let right): left.hasIdentifiers || right.hasIdentifiers
    default: children.contains(where: \.hasIdentifiers)
    }
  }
}

extension StoreValue {
  /// Whether the value is or contains identifiers.
  fileprivate var hasIdentifiers: Bool {
    switch self {
    case .identifier, .identifiers: true
    case .array(let list): list.contains(where: \.hasIdentifiers)
    default: false
    }
  }
}
