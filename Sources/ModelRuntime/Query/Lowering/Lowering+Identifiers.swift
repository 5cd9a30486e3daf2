import StoreProtocol

/// The schema and the store for which predicates are lowered.
package struct QueryScope: Sendable {
  /// The schema of the container.
  package let schema: Schema
  /// The identifier of the store that evaluates the query, or `nil` if it is unknown.
  package let store: String?

  /// Creates a scope.
  package init(_ schema: Schema, store: String? = nil) {
    self.schema = schema
    self.store = store
  }
}

extension QueryExpression {
  /// Returns the expression with no identifier that a store could take for one of its own.
  ///
  /// - Parameters:
  ///   - model: The model of the fetched objects.
  ///   - scope: The schema and the store.
  /// - Returns: The expression.
  /// - Throws: `SwiftDataError.unsupportedPredicate` if identifiers in attributes are ordered.
  func withOwnIdentifiers<T: PersistentModel>(
    of model: T.Type,
    in scope: QueryScope
  ) throws -> QueryExpression {
    let entity = ModelLayout.of(model).entityName
    return try IdentifierCheck(scope, entity: entity).checked(self)
  }
}

/// Replaces the identifiers of other stores and of other entities in an expression.
///
/// An identifier is a store, an entity and a key, but stores compare keys alone. An identifier that
/// no object of the other operand can have therefore gets a key that no row has.
private struct IdentifierCheck {
  private let schema: StoreSchema
  private let store: String?
  /// The values of bound variables.
  private var bound: [Int: Kind]

  /// The kind of an operand.
  private enum Kind: Equatable {
    /// An object of an entity, or several.
    case object(String)
    /// The value of an attribute.
    case attribute
    /// A constant, or a computed value.
    case other
  }

  init(_ scope: QueryScope, entity: String) {
    schema = scope.schema.storeSchema
    store = scope.store
    bound = [0: .object(entity)]
  }

  func checked(_ expression: QueryExpression) throws -> QueryExpression {
    switch expression {
    case .constant, .element: return expression
    case .map(let operand, let variable, _), .quantified(_, let operand, let variable, _),
      .filter(let operand, let variable, _):
      var inner = self
      inner.bound[variable] = kind(of: operand)
      let parts = expression.children
      return expression.replacingChildren([try checked(parts[0]), try inner.checked(parts[1])])
    default:
      let parts = expression.children
      return expression.replacingChildren(try compared(parts, in: expression).map(checked))
    }
  }

  /// Returns the operands of an expression, adapted to each other if it compares them.
  private func compared(
    _ operands: [QueryExpression],
    in expression: QueryExpression
  ) throws -> [QueryExpression] {
    let kinds = operands.lazy.map(kind)
    switch expression {
    case .compare(.equal, _, _), .compare(.notEqual, _, _), .contains, .text:
      for case .object(let entity) in kinds {
        return operands.map { adapted($0, to: entity) }
      }
    case .compare, .isInRange:
      if kinds.contains(.attribute), operands.contains(where: \.isIdentifier) {
        throw SwiftDataError.unsupportedPredicate.with(
          "an identifier in an attribute has no order in a store; compare it with == or !="
        )
      }
      for case .object(let entity) in kinds { return operands.map { ordered($0, in: entity) } }
    default: break
    }
    return operands
  }

  private func kind(of expression: QueryExpression) -> Kind {
    switch expression {
    case .element(let variable): return bound[variable] ?? .other
    case .property(let base, let name):
      guard case .object(let entity) = kind(of: base) else { return .attribute }
      let property = schema.entity(named: entity)?.property(named: name)
      return property?.relationship.map { .object($0.destination) } ?? .attribute
    case .cast(_, let entity): return .object(entity)
    case .unwrap(let value), .filter(let value, _, _), .subscripted(let value, _),
      .aggregate(.first, let value), .aggregate(.last, let value),
      .aggregate(.minimum, let value), .aggregate(.maximum, let value):
      return kind(of: value)
    case .coalesce(let first, let second), .conditional(_, let first, let second):
      let kind = kind(of: first)
      return kind == .other ? self.kind(of: second) : kind
    case .map(let operand, let variable, let body):
      var inner = self
      inner.bound[variable] = kind(of: operand)
      return inner.kind(of: body)
    default: return .other
    }
  }

  /// Returns an operand that no database compares by its key alone.
  ///
  /// The identifier of another store may have the key of a row of this one; of two with one key,
  /// the stores decide.
  private func ordered(_ operand: QueryExpression, in entity: String) -> QueryExpression {
    guard case .constant(.identifier(let identifier)) = operand,
      !isPossible(identifier.scope, in: entity)
    else { return operand }
    return .coalesce(operand, operand)
  }

  /// Returns an operand without identifiers that no object of an entity has.
  private func adapted(_ operand: QueryExpression, to entity: String) -> QueryExpression {
    switch operand {
    case .constant(let value): .constant(adapted(value, to: entity))
    case .unwrap(let value): .unwrap(adapted(value, to: entity))
    case .coalesce(let first, let second):
      .coalesce(adapted(first, to: entity), adapted(second, to: entity))
    case .conditional(let test, let first, let second):
      .conditional(test, then: adapted(first, to: entity), else: adapted(second, to: entity))
    case .filter(let list, let variable, let test):
      .filter(adapted(list, to: entity), variable: variable, test)
    default: operand
    }
  }

  private func adapted(_ value: StoreValue, to entity: String) -> StoreValue {
    switch value {
    case .identifier(let identifier):
      isPossible(identifier.scope, in: entity) || identifier.isTemporary
        ? value : .identifier(impossible(identifier, in: entity))
    case .identifiers(let list): .identifiers(adapted(list, to: entity))
    case .array(let list): .array(list.map { adapted($0, to: entity) })
    default: value
    }
  }

  /// Returns a list with one check for identifiers of one scope, because lists can be long.
  private func adapted(_ list: [PersistentIdentifier], to entity: String) -> [PersistentIdentifier]
  {
    var possible: PersistentIdentifier.Scope?
    return list.map { identifier in
      if identifier.scope === possible || identifier.isTemporary { return identifier }
      guard isPossible(identifier.scope, in: entity) else {
        return impossible(identifier, in: entity)
      }
      possible = identifier.scope
      return identifier
    }
  }

  /// Whether objects of an entity can have identifiers of a scope.
  private func isPossible(_ scope: PersistentIdentifier.Scope, in entity: String) -> Bool {
    (store == nil || scope.storeIdentifier == store)
      && schema.entity(named: scope.entityName)?.root == schema.entity(named: entity)?.root
  }

  /// Returns an identifier that no row has, and that is different for each identifier.
  private func impossible(
    _ identifier: PersistentIdentifier,
    in entity: String
  ) -> PersistentIdentifier {
    let key = "\(identifier) of store \(identifier.storeIdentifier ?? "unknown")"
    return PersistentIdentifier(.text(key), of: entity, in: store)
  }
}

extension QueryExpression {
  /// Whether this is a constant identifier.
  fileprivate var isIdentifier: Bool {
    if case .constant(.identifier) = self { true } else { false }
  }
}
