import Foundation
import StoreProtocol

extension PersistentModel {
  /// Returns a predicate that holds for objects whose property satisfies a condition.
  ///
  /// Like any predicate, it can be negated, combined, fetched with and evaluated. A key path may
  /// follow to-one relationships, as `\.author?.name` does.
  public static func `where`<Value>(
    _ property: KeyPath<Self, Value> & Sendable,
    _ condition: PropertyCondition<Value>
  ) -> Predicate<Self> {
    PropertyTest(property, condition.form).predicate
  }

  /// Returns a predicate that holds for objects whose property has a value that satisfies a
  /// condition.
  ///
  /// Only ``PropertyCondition/isNot(_:)`` holds if the property is absent, as `!=` does.
  public static func `where`<Value>(
    _ property: KeyPath<Self, Value?> & Sendable,
    _ condition: PropertyCondition<Value>
  ) -> Predicate<Self> {
    PropertyTest(property, condition.form).predicate
  }
}

/// A condition on a property of a model.
struct PropertyTest<Root: PersistentModel>: Sendable {
  enum Source: Sendable {
    case keyPath(PartialKeyPath<Root> & Sendable)
    case name(NamedProperty)
  }

  private let source: Source
  private let isOptional: Bool
  private let form: ConditionForm

  init(_ keyPath: PartialKeyPath<Root> & Sendable, _ form: ConditionForm) {
    source = .keyPath(keyPath)
    isOptional = type(of: keyPath as AnyKeyPath).valueType is any OptionalType.Type
    self.form = form
  }

  init(_ property: NamedProperty, _ form: ConditionForm) {
    source = .name(property)
    isOptional = property.isOptional
    self.form = form
  }

  func holds(for root: Root) throws -> Bool {
    switch source {
    case .keyPath(let keyPath):
      let value = root[keyPath: keyPath]
      guard let stored = StoreValue(captured: value) else {
        throw SwiftDataError.unsupportedPredicate.with("a \(type(of: value)) cannot be stored")
      }
      return try form.holds(for: stored)
    case .name(let property): return try form.holds(for: property.value(of: root))
    }
  }

  func expression(for root: QueryExpression) throws -> QueryExpression {
    let value: QueryExpression
    switch source {
    case .keyPath(let keyPath):
      guard let steps = KeyPathSteps.of(keyPath) else {
        throw SwiftDataError.unsupportedKeyPath.with(
          (keyPath as AnyKeyPath).unstoredReason,
          entity: ModelLayout.of(Root.self).entityName
        )
      }
      value = steps.applied(to: root)
    case .name(let property): value = property.expression(for: root)
    }
    return try form.expression(for: value, isOptional: isOptional)
  }

  /// The text in the description of a predicate.
  var description: String {
    switch source {
    case .keyPath: "a condition on \(Root.self)"
    case .name(let property): "a condition on \(Root.self).\(property.path)"
    }
  }
}

extension PropertyTest {
  /// The condition as a predicate.
  var predicate: Predicate<Root> {
    let function = CapturedFunction(
      Expression<Root, Bool> { PropertyTestNode(test: self, root: $0) },
      description: description
    )
    return Predicate { PredicateExpressions.build_evaluate(function.node, $0) }
  }
}

/// The condition as a node.
private struct PropertyTestNode<Root: PersistentModel>: FunctionBody {
  typealias Output = Bool

  let test: PropertyTest<Root>
  let root: PredicateExpressions.Variable<Root>

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try test.holds(for: root.evaluate(bindings))
  }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try test.expression(for: lowering.lower(root))
  }
}
