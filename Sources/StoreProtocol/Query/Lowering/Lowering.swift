import Foundation
import Synchronization

/// Turns predicates into query expressions, node by node.
///
/// Foundation's nodes are generic types without a common interface, so that each is made to
/// conform to a protocol of ours. A node that does not is named by the error.
final class Lowering {
  let schema: Schema
  private var bound: [PredicateExpressions.VariableID: QueryExpression] = [:]
  private var nextVariable = 1
  /// How many nodes in one another are being lowered.
  private var level: Int

  /// The number of nodes in one another that are lowered: a chain of operators, which becomes one
  /// list, has a node in another for each.
  static let maximumLevel = 3 * QueryExpression.maximumDepth

  /// Creates a lowering of a predicate, or of one within another.
  init(schema: Schema, within outer: Lowering? = nil) {
    self.schema = schema
    level = outer?.level ?? 0
  }

  /// The query expression that means the same as a node.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate`, naming the node that has no such expression.
  func lower<E: PredicateExpression>(_ node: E) throws -> QueryExpression {
    guard let known = KnownNodes.conformance(of: E.self) else {
      throw Self.unsupported(E.self, "a query cannot compute it")
    }
    level += 1
    defer { level -= 1 }
    guard level <= Self.maximumLevel else {
      throw SwiftDataError.unsupportedPredicate.with(QueryExpression.tooDeep)
    }
    // As an existential, each node would be copied into a box with all that is below it.
    return try withUnsafePointer(to: node) { try known.lowered(at: $0, by: self) }
  }

  /// The query expression of a whole predicate, not too deep for those who work with it.
  func lowerWhole<E: PredicateExpression>(_ node: E) throws -> QueryExpression {
    let expression = try lower(node)
    guard !expression.isDeeper(than: QueryExpression.maximumDepth) else {
      throw SwiftDataError.unsupportedPredicate.with(QueryExpression.tooDeep)
    }
    return expression
  }

  /// Takes a variable to stand for an expression that is known already.
  func bind<T>(_ variable: PredicateExpressions.Variable<T>, to expression: QueryExpression) {
    bound[variable.key] = expression
  }

  /// Gives a variable a number of its own.
  func bind<T>(_ variable: PredicateExpressions.Variable<T>) -> Int {
    let number = nextVariable
    nextVariable += 1
    bound[variable.key] = .element(number)
    return number
  }

  func expression<T>(for variable: PredicateExpressions.Variable<T>) throws -> QueryExpression {
    guard let known = bound[variable.key] else {
      throw SwiftDataError.unsupportedPredicate.with("a variable is used that nothing binds")
    }
    return known
  }

  /// An error about a node, by the name of its kind; descriptions of whole trees can trap.
  static func unsupported(_ node: Any.Type, _ reason: String) -> SwiftDataError {
    let name = String(describing: node).prefix { $0 != "<" }
    return .unsupportedPredicate.with("\(name) is not supported here: \(reason)")
  }
}

/// A node of a predicate that has a query expression.
protocol LoweredNode {
  /// The query expression that means the same.
  func lowered(by lowering: Lowering) throws -> QueryExpression
}

extension LoweredNode {
  /// Lowers the node at an address, which is one of this type.
  fileprivate static func lowered(
    at address: UnsafeRawPointer,
    by lowering: Lowering
  ) throws -> QueryExpression {
    try address.assumingMemoryBound(to: Self.self).pointee.lowered(by: lowering)
  }
}

/// The types of nodes that were met: to ask a type whether it conforms costs more than to lower it.
private enum KnownNodes {
  private static let known = Mutex<[ObjectIdentifier: any LoweredNode.Type]>([:])

  /// The type of a node as one that can be lowered, nil where it cannot.
  static func conformance(of node: Any.Type) -> (any LoweredNode.Type)? {
    known.withLock { known in
      if let found = known[ObjectIdentifier(node)] { return found }
      guard let found = node as? any LoweredNode.Type else { return nil }
      known[ObjectIdentifier(node)] = found
      return found
    }
  }
}

extension QueryExpression {
  /// Lowers a predicate over a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate`, naming the part that no query can answer.
  package init<T: PersistentModel>(lowering predicate: Predicate<T>, schema: Schema) throws {
    let lowering = Lowering(schema: schema)
    lowering.bind(predicate.variable, to: .element(0))
    self = try lowering.lowerWhole(predicate.expression)
  }

  /// Lowers an expression over a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate`, naming the part that no query can answer.
  package init<T: PersistentModel, Output>(
    lowering expression: Foundation.Expression<T, Output>,
    schema: Schema
  ) throws {
    let lowering = Lowering(schema: schema)
    lowering.bind(expression.variable, to: .element(0))
    self = try lowering.lowerWhole(expression.expression)
  }
}
