import Foundation
import QueryEvaluation
import StoreProtocol
import Testing

@Suite("Arithmetic on stored values")
struct ArithmeticTests {
  /// A computation and its result, or `nil` if Swift traps.
  struct Sum: CustomTestStringConvertible, Sendable {
    let lhs: StoreValue
    let operation: QueryExpression.Arithmetic
    let rhs: StoreValue
    let type: AttributeType
    let result: StoreValue?

    init(
      _ lhs: StoreValue,
      _ operation: QueryExpression.Arithmetic,
      _ rhs: StoreValue,
      _ type: AttributeType,
      _ result: StoreValue?
    ) {
      (self.lhs, self.operation, self.rhs) = (lhs, operation, rhs)
      (self.type, self.result) = (type, result)
    }

    var testDescription: String { "\(lhs) \(operation) \(rhs) as \(type)" }
  }

  private static func decimal(_ text: String) -> StoreValue {
    .decimal(Decimal(string: text) ?? .nan)
  }

  static let sums: [Sum] = [
    Sum(decimal("1e-64"), .multiply, decimal("1e-64"), .decimal, decimal("1e-128")),
    Sum(decimal("1e-64"), .multiply, decimal("1e-65"), .decimal, nil),
    Sum(decimal("1e-127"), .multiply, decimal("1e-127"), .decimal, nil),
    Sum(decimal("1e-127"), .multiply, decimal("0"), .decimal, decimal("0")),
    Sum(decimal("1e127"), .multiply, decimal("1e127"), .decimal, .decimal(.nan)),
    Sum(.integer(.max), .add, .integer(1), .int64, nil),
    Sum(.integer(.max), .add, .integer(0), .int64, .integer(.max)),
    Sum(.integer(.min), .subtract, .integer(1), .int64, nil),
    Sum(.integer(.min), .divide, .integer(-1), .int64, nil),
    Sum(.integer(.min), .remainder, .integer(-1), .int64, nil),
    Sum(.integer(7), .divide, .integer(0), .int64, nil),
    Sum(.integer(7), .remainder, .integer(0), .int64, nil),
    Sum(.integer(-7), .divide, .integer(2), .int64, .integer(-3)),
    Sum(.integer(-7), .remainder, .integer(2), .int64, .integer(-1)),
    Sum(.integer(127), .add, .integer(1), .int8, nil),
    Sum(.integer(16), .multiply, .integer(8), .int8, nil),
    Sum(.integer(16), .multiply, .integer(-8), .int8, .integer(-128)),
    Sum(.integer(32_767), .add, .integer(1), .int16, nil),
    Sum(.integer(1 << 30), .multiply, .integer(2), .int32, nil),
    Sum(.integer(255), .add, .integer(1), .uint8, nil),
    Sum(.integer(0), .subtract, .integer(1), .uint8, nil),
    Sum(.integer(0), .subtract, .integer(1), .uint64, nil),
    Sum(.unsigned(.max), .subtract, .integer(1), .uint64, .unsigned(.max - 1)),
    Sum(.unsigned(.max), .add, .integer(1), .uint64, nil),
    Sum(.integer(.max), .add, .integer(1), .uint64, .unsigned(1 << 63)),
    Sum(.double(1), .divide, .double(0), .double, .double(.infinity)),
    Sum(.double(0.1), .add, .double(0.2), .double, .double(0.1 + 0.2)),
    Sum(
      .double(Double(Float(0.1))),
      .add,
      .double(Double(Float(0.2))),
      .float,
      .double(Double(Float(0.1) + Float(0.2)))
    ),
    Sum(.decimal(1), .divide, .decimal(0), .decimal, .decimal(.nan)),
    Sum(.decimal(3), .multiply, .decimal(4), .decimal, .decimal(12)),
    Sum(.null, .add, .integer(1), .int64, nil),
    Sum(.string("1"), .add, .integer(1), .int64, nil),
  ]

  @Test(arguments: sums)
  func computes(_ sum: Sum) throws {
    #expect(sum.operation.result(sum.lhs, sum.rhs, as: sum.type) == sum.result)
    let expression = QueryExpression.arithmetic(sum.operation, .value, .other, sum.type)
    #expect(try EvaluatorSample.value(expression, sum.lhs, sum.rhs) == sum.result ?? .null)
  }

  @Test func `does not match a row if it overflows, negated or not`() throws {
    let sum = QueryExpression.arithmetic(.add, .value, .constant(.integer(1)), .int64)
    let test = QueryExpression.compare(.greater, sum, .constant(.integer(0)))
    #expect(try !EvaluatorSample.holds(test, .integer(.max)))
    #expect(try !EvaluatorSample.holds(.not(test), .integer(.max)))
    #expect(try EvaluatorSample.holds(.or([.constant(.bool(true)), test]), .integer(.max)))
    #expect(try !EvaluatorSample.holds(.or([test, .constant(.bool(true))]), .integer(.max)))
    #expect(try !EvaluatorSample.holds(.and([.constant(.bool(false)), test]), .integer(.max)))
  }

  @Test func `overflows in a negation only for the smallest integer`() {
    #expect(StoreValue.integer(.min).negative(as: .int64) == nil)
    #expect(StoreValue.integer(-128).negative(as: .int8) == nil)
    #expect(StoreValue.integer(.max).negative(as: .int64) == .integer(-.max))
    #expect(StoreValue.double(0).negative(as: .double) == .double(-0.0))
    #expect(StoreValue.decimal(1).negative(as: .decimal) == .decimal(-1))
  }
}
