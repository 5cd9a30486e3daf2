import StoreProtocol

extension QueryCompiler {
  /// Compiles a calculation with two numbers; it has no result if Swift would trap.
  func arithmetic(
    _ operation: QueryExpression.Arithmetic,
    _ left: QueryExpression,
    _ right: QueryExpression,
    _ type: AttributeType
  ) throws -> Value {
    let (left, right) = (try value(left), try value(right))
    return { row, frame in
      let operands = (try left(row, frame), try right(row, frame))
      guard let result = operation.result(operands.0, operands.1, as: type) else {
        throw QueryTrap.noValue
      }
      return result
    }
  }

  /// Compiles the negation of a number; the smallest integer has no result.
  func arithmetic(negating operand: QueryExpression, _ type: AttributeType) throws -> Value {
    let operand = try value(operand)
    return { row, frame in
      guard let result = try operand(row, frame).negative(as: type) else { throw QueryTrap.noValue }
      return result
    }
  }
}
