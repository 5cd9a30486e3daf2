import Foundation
import StoreProtocol

/// A range that is written with its bounds.
protocol LoweredRange {
  associatedtype LHS: PredicateExpression
  associatedtype RHS: PredicateExpression

  var lower: LHS { get }
  var upper: RHS { get }
  /// Whether the range includes its upper bound.
  static var isClosed: Bool { get }
}

extension LoweredRange {
  /// Returns the query expression that tests whether an element is in the range.
  func lowered(
    containing element: QueryExpression,
    by lowering: Lowering
  ) throws -> QueryExpression {
    let (lower, upper) = (try lowering.lower(lower), try lowering.lower(upper))
    return .isInRange(element, lower: lower, upper: upper, closed: Self.isClosed)
  }
}

extension PredicateExpressions.RangeExpressionContains: LoweredNode {
  static func checkOrder() throws { try StoredOrder.check(Element.Output.self, for: Self.self) }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let element = try lowering.lower(element)
    if let lowerable = range as? any LoweredRange {
      return try lowerable.lowered(containing: element, by: lowering)
    }
    guard let captured = (range as? any CapturedValue)?.captured else {
      throw Lowering.unsupported(Self.self, "the range must be captured or written with its bounds")
    }
    guard let bounds = (captured as? any CapturedRange)?.bounds else {
      throw Lowering.unsupported(
        Self.self,
        "\(RangeExpression.Output.self) is not a range of stored values"
      )
    }
    return bounds.contains(element)
  }
}

extension PredicateExpressions.ClosedRange: LoweredRange {
  static var isClosed: Bool { true }
}

extension PredicateExpressions.Range: LoweredRange {
  static var isClosed: Bool { false }
}

/// The bounds of a range in stored form; a missing bound is `nil`.
struct StoredBounds {
  let lower: StoreValue?
  let upper: StoreValue?
  let closed: Bool

  /// Creates bounds, or returns `nil` if a given bound has no stored form.
  init?(lower: Any? = nil, upper: Any? = nil, closed: Bool) {
    self.lower = lower.flatMap { StoreValue(captured: $0) }
    self.upper = upper.flatMap { StoreValue(captured: $0) }
    self.closed = closed
    if (lower == nil) != (self.lower == nil) || (upper == nil) != (self.upper == nil) { return nil }
  }

  /// Returns the query expression that tests whether an element is between the bounds.
  func contains(_ element: QueryExpression) -> QueryExpression {
    let end: QueryExpression.Comparison = closed ? .lessOrEqual : .less
    switch (lower, upper) {
    case (let lower?, let upper?):
      return .isInRange(element, lower: .constant(lower), upper: .constant(upper), closed: closed)
    case (let lower?, nil): return .compare(.greaterOrEqual, element, .constant(lower))
    case (nil, let upper?): return .compare(end, element, .constant(upper))
    case (nil, nil): return .constant(.bool(true))
    }
  }
}

/// A range of the standard library.
protocol CapturedRange {
  /// The bounds, or `nil` if they have no stored form.
  var bounds: StoredBounds? { get }
}

extension ClosedRange: CapturedRange {
  var bounds: StoredBounds? { StoredBounds(lower: lowerBound, upper: upperBound, closed: true) }
}

extension Range: CapturedRange {
  var bounds: StoredBounds? { StoredBounds(lower: lowerBound, upper: upperBound, closed: false) }
}

extension PartialRangeFrom: CapturedRange {
  var bounds: StoredBounds? { StoredBounds(lower: lowerBound, closed: false) }
}

extension PartialRangeThrough: CapturedRange {
  var bounds: StoredBounds? { StoredBounds(upper: upperBound, closed: true) }
}

extension PartialRangeUpTo: CapturedRange {
  var bounds: StoredBounds? { StoredBounds(upper: upperBound, closed: false) }
}
