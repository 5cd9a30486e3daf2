import StoreProtocol

extension QueryCompiler {
  /// Compiles a comparison of two values; with a constant, the kind of comparison is selected in
  /// advance.
  func compare(
    _ comparison: QueryExpression.Comparison,
    _ left: QueryExpression,
    _ right: QueryExpression
  ) throws -> Condition {
    if case .constant(let constant) = right {
      let (operand, test) = (try value(left), comparison.test(against: constant))
      return { test(try operand($0, $1)) }
    }
    if case .constant(let constant) = left {
      let (operand, test) = (try value(right), comparison.flipped.test(against: constant))
      return { test(try operand($0, $1)) }
    }
    let (first, second) = (try value(left), try value(right))
    return { comparison.holds(try first($0, $1), try second($0, $1)) }
  }

  /// Compiles a range test; a range whose lower bound exceeds its upper bound is a trap in Swift.
  func isInRange(
    _ operand: QueryExpression,
    _ lower: QueryExpression,
    _ upper: QueryExpression,
    closed: Bool
  ) throws -> Condition {
    let (lower, upper, operand) = (try value(lower), try value(upper), try value(operand))
    let end: QueryExpression.Comparison = closed ? .lessOrEqual : .less
    return { row, frame in
      let (low, high) = (try lower(row, frame), try upper(row, frame))
      guard QueryExpression.Comparison.lessOrEqual.holds(low, high) else {
        throw QueryTrap.noValue
      }
      let middle = try operand(row, frame)
      return QueryExpression.Comparison.lessOrEqual.holds(low, middle) && end.holds(middle, high)
    }
  }
}

extension QueryExpression.Comparison {
  /// Returns whether the comparison holds; an order with nil or NaN on either side does not.
  package func holds(_ lhs: StoreValue, _ rhs: StoreValue) -> Bool {
    switch self {
    case .equal: lhs.isEqual(to: rhs)
    case .notEqual: !lhs.isEqual(to: rhs)
    default: holds(lhs.ordering(rhs))
    }
  }

  func test(against constant: StoreValue) -> (StoreValue) -> Bool {
    switch constant {
    case .integer(let integer):
      return { value in
        guard case .integer(let number) = value else { return holds(value, constant) }
        return holds(number < integer ? .less : number == integer ? .equal : .greater)
      }
    case .string(let string) where self == .equal || self == .notEqual:
      let expected = self == .equal
      return { value in
        guard case .string(let text) = value else { return !expected }
        return TextOrder.areEqual(text, string) == expected
      }
    default: return { holds($0, constant) }
    }
  }

  private func holds(_ ordering: QueryOrdering) -> Bool {
    switch self {
    case .equal: ordering == .equal
    case .notEqual: ordering != .equal
    case .less: ordering == .less
    case .lessOrEqual: ordering == .less || ordering == .equal
    case .greater: ordering == .greater
    case .greaterOrEqual: ordering == .greater || ordering == .equal
    }
  }
}
