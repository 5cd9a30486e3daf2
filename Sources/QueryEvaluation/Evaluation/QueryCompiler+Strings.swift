import StoreProtocol

extension QueryCompiler {
  /// Compiles a test whether one string or sequence contains or starts with another.
  func textTest(
    _ test: QueryExpression.TextTest,
    _ left: QueryExpression,
    _ right: QueryExpression
  ) throws -> Condition {
    let (left, right) = (try value(left), try value(right))
    return { try Self.holds(test, left($0, $1), right($0, $1)) }
  }

  /// Compiles the order of two strings as -1, 0 or 1.
  func textComparison(
    _ test: QueryExpression.TextTest,
    _ left: QueryExpression,
    _ right: QueryExpression
  ) throws -> Value {
    let (left, right) = (try value(left), try value(right))
    return { row, frame in
      guard case .string(let a) = try left(row, frame), case .string(let b) = try right(row, frame)
      else {
        throw QueryTrap.noValue
      }
      return .integer(
        Int64(
          test == .localizedCompare
            ? TextComparison.localizedCompare(a, b) : TextComparison.caseInsensitiveCompare(a, b)
        )
      )
    }
  }

  /// Compiles a test whether a string contains what a regular expression or a search finds.
  func isFound(
    _ isFound: @escaping @Sendable (String) -> Bool,
    in text: QueryExpression
  ) throws -> Condition {
    let text = try value(text)
    return { row, frame in
      guard case .string(let found) = try text(row, frame) else { throw QueryTrap.noValue }
      return isFound(found)
    }
  }

  private static func holds(
    _ test: QueryExpression.TextTest,
    _ lhs: StoreValue,
    _ rhs: StoreValue
  ) throws -> Bool {
    if case .string(let a) = lhs, case .string(let b) = rhs {
      return
        switch test
      {
      case .contains: TextComparison.contains(a, b)
      case .startsWith: TextComparison.starts(a, with: b)
      default: TextComparison.localizedStandardContains(a, b)
      }
    }
    let (a, b) = (try elements(lhs), try elements(rhs))
    guard test != .startsWith else { return a.starts(with: b) { $0.isEqual(to: $1) } }
    guard test == .contains else { throw QueryTrap.noValue }
    return a.indices.contains { a[$0...].starts(with: b) { $0.isEqual(to: $1) } } || b.isEmpty
  }
}

extension QueryExpression.TextTest {
  /// Whether the result is an order and not a Boolean.
  var isComparison: Bool { self == .caseInsensitiveCompare || self == .localizedCompare }
}
