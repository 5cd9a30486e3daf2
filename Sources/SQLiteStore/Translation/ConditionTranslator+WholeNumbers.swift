import StoreProtocol

/// Arithmetic of whole numbers, with the condition that it has a result in Swift.
extension ConditionTranslator {
  /// A number in SQL.
  struct WholeNumber {
    let text: SQLFragment
    /// The condition that nothing overflows on the way.
    var isThere: SQLFragment = .always
  }

  /// The number that an expression gives as a value of a type, nil where SQL cannot say it: what
  /// may be nil, and numbers that SQLite does not keep as such.
  func wholeNumber(
    _ expression: QueryExpression,
    as type: AttributeType
  ) throws -> WholeNumber? {
    guard let bounds = type.wholeNumbers else { return nil }
    switch expression {
    case .constant(.integer(let number)):
      return WholeNumber(text: "\(bind: .integer(number))")
    case .property:
      guard let term = try term(expression), term.content == .value(type), !term.canBeNull,
        term.demands.isEmpty
      else { return nil }
      return WholeNumber(text: term.text)
    case .arithmetic(let operation, let left, let right, type):
      guard let sign = operation.sign, let one = try wholeNumber(left, as: type),
        let other = try wholeNumber(right, as: type)
      else { return nil }
      let text: SQLFragment = "(\(one.text) \(sign) \(other.text))"
      // Where 64 bits overflow, SQLite goes on with a real number.
      let fits: SQLFragment =
        "typeof(\(text)) = 'integer' AND \(text) BETWEEN \(bind: .integer(bounds.lowerBound)) AND \(bind: .integer(bounds.upperBound))"
      return WholeNumber(text: text, isThere: .all([one.isThere, other.isThere, fits]))
    default: return nil
    }
  }
}

extension QueryExpression.Arithmetic {
  /// The operator in SQL, nil where it differs from Swift's.
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
  /// The numbers of an integer type that SQLite keeps as integers, nil for any other.
  fileprivate var wholeNumbers: ClosedRange<Int64>? {
    switch self {
    case .int8: Int64(Int8.min)...Int64(Int8.max)
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    case .int64: Int64.min...Int64.max
    case .uint8: 0...Int64(UInt8.max)
    case .uint16: 0...Int64(UInt16.max)
    case .uint32: 0...Int64(UInt32.max)
    default: nil
    }
  }
}
