import Foundation

/// What a condition asks of a value, whatever the value is.
enum ConditionForm: Sendable {
  /// A comparison with a known value.
  case compare(QueryExpression.Comparison, StoreValue)
  /// Being one of some values.
  case isIn(StoreValue)
  /// Lying between two values.
  case isBetween(StoreValue, StoreValue, closed: Bool)
  /// A test of texts.
  case text(QueryExpression.TextTest, String)
  /// Having the words of a search.
  case searches(TextSearch)
  /// Having an element.
  case includes(StoreValue)
  /// Having no element.
  case isEmpty
  /// Nothing that can be asked, and why.
  case unsupported(String)

  /// The condition on the value of an expression.
  ///
  /// Of an absent value nothing is true but that it is absent, or that it is not another value.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` where there is no such expression.
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

  /// Whether a value satisfies the condition.
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

/// A row that has one value.
private struct ValueRow: QueryRow {
  static let name = "value"
  private static let shared = StoreEntity(
    name: name,
    properties: [StoreProperty(name: name, kind: .attribute(.codable), isOptional: true)]
  )

  let value: StoreValue
  var entity: StoreEntity { Self.shared }
  var identifier: PersistentIdentifier {
    PersistentIdentifier(
      scope: .init(storeIdentifier: nil, entityName: Self.name),
      key: .integer(0)
    )
  }

  func value(at index: Int) -> StoreValue { value }
}
