import StoreProtocol

/// Arithmetic, with the condition that it has a result that SQL represents as Swift does.
extension ConditionTranslator {
  /// A number in SQL.
  package struct Number {
    package let text: SQLFragment
    /// The condition that the number is the one that Swift computes.
    package var isThere: SQLFragment = .always
  }

  /// Returns an expression's number as a value of a type, or `nil` if SQL cannot express it.
  package func number(_ expression: QueryExpression, as type: AttributeType) throws -> Number? {
    guard type == .double else { return try integer(expression, as: type) }
    return dialect.computesRealNumbers ? try real(expression) : nil
  }

  /// Returns a floating-point number.
  ///
  /// SQLite adds and multiplies as Swift does, but stores neither NaN nor -0.0 as numbers.
  private func real(_ expression: QueryExpression) throws -> Number? {
    switch expression {
    case .constant(.double(let number)):
      guard !number.isNaN, number != 0 || number.sign == .plus else { return nil }
      return Number(text: "\(bind: .real(number))")
    case .property:
      guard let term = try term(expression), term.content == .value(.double), !term.canBeNull,
        term.demands.isEmpty, try exactness(of: term) == .exact
      else { return nil }
      return Number(text: term.text)
    case .arithmetic(let operation, let left, let right, .double):
      guard let sign = operation.sign ?? (operation == .divide ? "/" : nil),
        let one = try real(left), let other = try real(right)
      else { return nil }
      let text: SQLFragment = "(\(one.text) \(sign) \(other.text))"
      // Sums and differences of numbers that are not -0.0 are never -0.0. Only those of two infinite
      // numbers can be NaN.
      let isSum = operation == .add || operation == .subtract
      var fits: SQLFragment = isSum ? "\(text) IS NOT NULL" : "\(text) <> 0.0"
      if isSum, left.isFinite || right.isFinite { fits = .always }
      return Number(text: text, isThere: .all([one.isThere, other.isThere, fits]))
    default: return nil
    }
  }

  /// Returns an integer, unless it may be nil or SQL does not store its type as an integer.
  private func integer(
    _ expression: QueryExpression,
    as type: AttributeType
  ) throws -> Number? {
    guard let bounds = type.integers else { return nil }
    switch expression {
    case .constant(.integer(let number)):
      return Number(text: dialect.integer("\(bind: .integer(number))"))
    case .property:
      guard let term = try term(expression), term.content == .value(type), !term.canBeNull,
        term.demands.isEmpty
      else { return nil }
      return Number(text: dialect.integer(term.text))
    case .arithmetic(let operation, let left, let right, type):
      guard let sign = operation.sign, let one = try integer(left, as: type),
        let other = try integer(right, as: type)
      else { return nil }
      let text: SQLFragment = "(\(one.text) \(sign) \(other.text))"
      let fits: SQLFragment =
        "\(text) BETWEEN \(bind: .integer(bounds.lowerBound)) AND \(bind: .integer(bounds.upperBound))"
      let conditions = [one.isThere, other.isThere, dialect.isInteger(text), fits]
      return Number(text: text, isThere: .all(conditions))
    default: return nil
    }
  }
}

extension QueryExpression {
  /// Whether this is a constant finite number.
  fileprivate var isFinite: Bool {
    if case .constant(.double(let number)) = self { number.isFinite } else { false }
  }
}

extension QueryExpression.Arithmetic {
  /// The operator in SQL, or `nil` if it differs from Swift's.
  fileprivate var sign: String? {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide, .remainder: nil
    }
  }
}

extension AttributeType {
  /// The values of an integer type that SQL stores as integers, or `nil` for other types.
  package var integers: ClosedRange<Int64>? {
    guard isInteger, self != .uint64, let range = fittingIntegers else { return nil }
    return range.lowest...Int64(clamping: range.greatest)
  }
}
