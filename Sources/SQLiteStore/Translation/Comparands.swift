import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// A constant of a query, with the expression that it is compared with.
struct Comparand {
  let expression: QueryExpression
  let value: StoreValue

  /// Whether another value in its place can result in another shape.
  var isFixed: Bool {
    if case .bool = value { true } else { false }
  }
}

extension StoreQuery {
  /// Returns the query's constants in order, if it differs from another query in those alone, or
  /// `nil` if they differ otherwise.
  func comparands(inShapeOf other: StoreQuery) -> [Comparand]? {
    guard entity == other.entity, includesSubentities == other.includesSubentities,
      (limit == nil) == (other.limit == nil), (offset > 0) == (other.offset > 0),
      properties == other.properties, sort == other.sort
    else { return nil }
    var comparands: [Comparand] = []
    switch (filter, other.filter) {
    case (nil, nil): return comparands
    case (let own?, let shape?):
      return own.gather(&comparands, inShapeOf: shape) ? comparands : nil
    default: return nil
    }
  }

  /// The parameters of the statement's window: the limit, and the offset if there is one.
  var windowParameters: [SQLParameter] {
    guard offset > 0 || limit != nil else { return [] }
    // A negative limit means no limit.
    let limit = limit.map { Int64(max($0, 0)) } ?? -1
    let window = [SQLParameter.value(.integer(limit))]
    return offset > 0 ? window + [.value(.integer(Int64(offset)))] : window
  }
}

extension QueryExpression {
  /// Collects the constants, and returns whether the rest equals another expression.
  fileprivate func gather(
    _ comparands: inout [Comparand],
    inShapeOf other: QueryExpression
  ) -> Bool {
    switch (self, other) {
    case (.and(let parts), .and(let others)), (.or(let parts), .or(let others)):
      return parts.count == others.count
        && zip(parts, others).allSatisfy { $0.gather(&comparands, inShapeOf: $1) }
    case (.not(let part), .not(let other)): return part.gather(&comparands, inShapeOf: other)
    case (.compare(let own, let left, let right), .compare(let other, let first, let second)):
      guard own == other else { return false }
      if case .constant(let value) = right, case .constant(let model) = second {
        return left == first && value.gather(&comparands, with: left, inPlaceOf: model)
      }
      guard case .constant(let value) = left, case .constant(let model) = first else {
        return left == first && right == second
      }
      return right == second && value.gather(&comparands, with: right, inPlaceOf: model)
    case (
      .isInRange(let value, .constant(let lower), .constant(let upper), let isClosed),
      .isInRange(let model, .constant(let first), .constant(let last), let closed)
    ):
      // A range with reversed bounds translates differently.
      return isClosed == closed && value == model && Comparison.lessOrEqual.holds(lower, upper)
        && lower.gather(&comparands, with: value, inPlaceOf: first)
        && upper.gather(&comparands, with: value, inPlaceOf: last)
    default: return self == other
    }
  }
}

extension StoreValue {
  /// Collects the value, and returns whether another of its kind can replace it.
  ///
  /// Only values of kinds that are always bound can be replaced.
  fileprivate func gather(
    _ comparands: inout [Comparand],
    with expression: QueryExpression,
    inPlaceOf other: StoreValue
  ) -> Bool {
    switch (self, other) {
    case (.integer, .integer), (.unsigned, .unsigned), (.double, .double), (.decimal, .decimal),
      (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid),
      (.identifier, .identifier):
      comparands.append(Comparand(expression: expression, value: self))
      return true
    case (.bool(let own), .bool(let other)):
      comparands.append(Comparand(expression: expression, value: self))
      return own == other
    // Others are part of the text.
    default: return self == other
    }
  }
}
