import Foundation
import StoreProtocol

extension QueryExpression.Arithmetic {
  /// Computes with the semantics of a Swift type, or returns `nil` if Swift would trap.
  ///
  /// Integers overflow by the width of the type, including division by zero and the smallest
  /// integer divided by -1. A value that is not of the type has no result.
  public func result(_ lhs: StoreValue, _ rhs: StoreValue, as type: AttributeType) -> StoreValue? {
    switch type {
    case .int8: integers(Int8.self, lhs, rhs)
    case .int16: integers(Int16.self, lhs, rhs)
    case .int32: integers(Int32.self, lhs, rhs)
    case .int64: integers(Int64.self, lhs, rhs)
    case .uint8: integers(UInt8.self, lhs, rhs)
    case .uint16: integers(UInt16.self, lhs, rhs)
    case .uint32: integers(UInt32.self, lhs, rhs)
    case .uint64: integers(UInt64.self, lhs, rhs)
    case .float: floats(Float.self, lhs, rhs)
    case .double: floats(Double.self, lhs, rhs)
    case .decimal: decimals(lhs, rhs)
    default: nil
    }
  }

  private func integers<I: FixedWidthInteger & StoreScalar>(
    _ type: I.Type,
    _ lhs: StoreValue,
    _ rhs: StoreValue
  ) -> StoreValue? {
    guard let a = I(storeValue: lhs), let b = I(storeValue: rhs) else { return nil }
    let (result, overflow) =
      switch self {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide: a.dividedReportingOverflow(by: b)
      case .remainder: a.remainderReportingOverflow(dividingBy: b)
      }
    return overflow ? nil : result.storeValue
  }

  private func floats<F: BinaryFloatingPoint & StoreScalar>(
    _ type: F.Type,
    _ lhs: StoreValue,
    _ rhs: StoreValue
  ) -> StoreValue? {
    guard let a = F(storeValue: lhs), let b = F(storeValue: rhs) else { return nil }
    return
      switch self
    {
    case .add: (a + b).storeValue
    case .subtract: (a - b).storeValue
    case .multiply: (a * b).storeValue
    case .divide: (a / b).storeValue
    case .remainder: a.truncatingRemainder(dividingBy: b).storeValue
    }
  }

  private func decimals(_ lhs: StoreValue, _ rhs: StoreValue) -> StoreValue? {
    guard let a = Decimal(storeValue: lhs), let b = Decimal(storeValue: rhs) else { return nil }
    return
      switch self
    {
    case .add: .decimal(a + b)
    case .subtract: .decimal(a - b)
    case .multiply: Self.product(a, b).map(StoreValue.decimal)
    case .divide: .decimal(b == 0 ? .nan : a / b)
    case .remainder: nil
    }
  }
}

extension QueryExpression.Arithmetic {
  private static let smallestExponent = -128

  /// Returns the product of two decimals, or `nil` if it is too small for a decimal's exponent.
  ///
  /// Foundation stops the program in that case, so the exponent of the product is computed first.
  static func product(_ a: Decimal, _ b: Decimal) -> Decimal? {
    guard !a.isNaN, !b.isNaN, a != 0, b != 0, a.exponent + b.exponent < smallestExponent else {
      return a * b
    }
    let digits = (a.significand * b.significand).droppedDigits
    return a.exponent + b.exponent + digits < smallestExponent ? nil : a * b
  }
}

extension Decimal {
  /// The number of digits by which an integer exceeds the 128 bits of a decimal's significand.
  fileprivate var droppedDigits: Int {
    var (rest, digits) = (self, 0)
    while rest > .greatestSignificand {
      rest = Decimal(sign: .plus, exponent: rest.exponent - 1, significand: rest.significand)
      digits += 1
    }
    return digits
  }

  private static let greatestSignificand = Decimal.greatestFiniteMagnitude.significand
}

extension StoreValue {
  /// Returns the negative of a number with the semantics of a Swift type, or `nil` if Swift would
  /// trap.
  public func negative(as type: AttributeType) -> StoreValue? {
    switch self {
    case .double(let value): .double(-value)
    case .decimal(let value): .decimal(-value)
    default: QueryExpression.Arithmetic.subtract.result(.integer(0), self, as: type)
    }
  }
}
