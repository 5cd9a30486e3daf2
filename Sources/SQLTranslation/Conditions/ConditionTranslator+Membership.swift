import Foundation
import StoreProtocol

/// Membership of a value in a constant list, or of an object in a relationship.
extension ConditionTranslator {
  package func contained(
    _ value: QueryExpression,
    in collection: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    guard case .constant(let list) = collection else {
      return try contained(value, inMembers: collection, side)
    }
    let elements: [StoreValue]
    switch list {
    case .array(let values): elements = values
    case .identifiers(let identifiers): elements = identifiers.map(StoreValue.identifier)
    default: return nil
    }
    guard let term = try term(value) else { return nil }
    return try contained(term, in: elements, side)
  }

  private func contained(
    _ term: SQLTerm,
    in elements: [StoreValue],
    _ side: Side
  ) throws -> SQLFragment? {
    let present = elements.filter { !$0.isNull }
    guard let values = values(present, term.content) else { return nil }
    var exactness = try exactness(of: term)
    guard exactness != .withCare || dialect.findsNumbersWithCare else { return nil }
    if exactness == .byCollation, values.allSatisfy(\.isOneSpelling) { exactness = .exact }
    let collation = exactness == .byCollation ? dialect.swiftCollation : ""
    guard let isAmong = dialect.isAmong(values) else { return nil }
    let test = { (column: SQLFragment) -> SQLFragment in "\(column)\(collation) \(isAmong)" }
    guard present.count < elements.count, term.canBeNull else {
      return translated(term, side, test)
    }
    // The list contains nil.
    let isFound: SQLFragment =
      side == .holds
      ? .any(["\(term.value) IS NULL", test(term.value)])
      : .all(["\(term.value) IS NOT NULL", "NOT (\(test(term.value)))"])
    return .all(term.demands + [isFound])
  }

  /// Returns the values that SQL compares with, or `nil` if one compares differently in Swift.
  private func values(
    _ elements: [StoreValue],
    _ content: ColumnMap.Content
  ) -> [BoundValue]? {
    var values: [BoundValue] = []
    for element in elements {
      guard let operand = dialect.operand(element, for: content) else { return nil }
      if let value = operand.value { values.append(value) }
    }
    return values
  }
}
