import Foundation
import QueryEvaluation
import StoreProtocol

/// The form of a condition, independent of the value to which it applies.
enum ConditionForm: Sendable {
  /// A comparison with a constant value.
  case compare(QueryExpression.Comparison, StoreValue)
  /// Membership in a list of values.
  case isIn(StoreValue)
  /// A range between two values.
  case isBetween(StoreValue, StoreValue, closed: Bool)
  case text(QueryExpression.TextTest, String)
  /// A full-text search.
  case searches(TextSearch)
  /// Containment of an element.
  case includes(StoreValue)
  /// Emptiness.
  case isEmpty
  /// An unsupported condition, with the reason.
  case unsupported(String)

  /// Returns the condition on the value of an expression.
  ///
  /// For an absent value, the only conditions that hold are that it is absent, and that it is not
  /// another value.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` if there is no such expression.
  func expression(
    for value: QueryExpression,
    isOptional: Bool
  ) throws -> QueryExpression {
    let condition: QueryExpression
    switch self {
    case .compare(let comparison, let other):
      return .compare(comparison, value, .constant(other))
    case .isIn(let list): return .contains(.constant(list), value)
    case .isBetween(let lower, let upper, let closed):
      return .isInRange(value, lower: .constant(lower), upper: .constant(upper), closed: closed)
    case .text(let test, let other): condition = .text(test, value, .constant(.string(other)))
    case .searches(let search): condition = .searches(value, search)
    case .includes(let element): condition = .contains(value, .constant(element))
    case .isEmpty: condition = .aggregate(.isEmpty, value)
    case .unsupported(let reason): throw SwiftDataError.unsupportedPredicate.with(reason)
    }
    guard isOptional else { return condition }
    return .and([.compare(.notEqual, value, .constant(.null)), condition])
  }

  /// Returns whether a value satisfies the condition.
  func holds(for value: StoreValue) throws -> Bool {
    let test = try QueryEvaluator<ValueRow>(
      schema: StoreSchema(entities: []),
      row: { _ in nil },
      members: { _, _ in [] }
    )
    .test(expression(for: .property(.element(0), ValueRow.name), isOptional: true))
    return try test(ValueRow(value: value))
  }
}

private struct ValueRow: QueryRow {
  static let name = "value"
  private static let shared = StoreEntity(
    name: name,
    properties: [StoreProperty(name: name, kind: .attribute(.codable), isOptional: true)]
  )

  let value: StoreValue
  var entity: StoreEntity { Self.shared }
  var identifier: PersistentIdentifier {
    PersistentIdentifier(.integer(0), of: Self.name)
  }

  func value(at index: Int) -> StoreValue { value }
}
