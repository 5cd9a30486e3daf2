import Foundation

/// A function of predicates that Foundation lacks, in a form that Foundation can print.
///
/// Foundation's description of a predicate stops the program at a node that is not Foundation's
/// own. A custom node is therefore inside an expression, and the predicate has a call of that
/// expression. The expression is captured as predicates capture any value: the description names
/// the value and does not descend into it.
public struct CapturedFunction<Function: Sendable>: Codable, Sendable, CustomStringConvertible {
  /// The expression that is called.
  public let function: Function
  /// The function's text in the description of a predicate.
  public let description: String

  /// The node that passes the expression to a call.
  typealias Node = PredicateExpressions.KeyPath<PredicateExpressions.Value<Self>, Function>

  init(_ function: Function, description: String) {
    self.function = function
    self.description = description
  }

  // The path is created here, where no parameter pack is in scope: the runtime of Swift 6.3.1
  // crashes when it creates a key path of a type that has one.
  var node: Node {
    PredicateExpressions.KeyPath(
      root: PredicateExpressions.Value(self),
      keyPath: \CapturedFunction.function
    )
  }

  /// Always throws, because the expression exists in the encoding process only.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a function cannot be decoded")
    )
  }

  /// Always throws, as Foundation does for predicates within predicates.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      description,
      .init(codingPath: encoder.codingPath, debugDescription: "a function cannot be encoded")
    )
  }
}

extension PredicateExpressions {
  /// The node for the call of a function that Foundation lacks.
  public typealias FunctionCall<each Input: PredicateExpression, Output> = ExpressionEvaluate<
    KeyPath<
      Value<CapturedFunction<Foundation.Expression<repeat (each Input).Output, Output>>>,
      Foundation.Expression<repeat (each Input).Output, Output>
    >,
    repeat each Input,
    Output
  >
}

/// A custom node within a captured function, which cannot be encoded.
protocol FunctionBody: StandardPredicateExpression, LoweredNode {}

extension FunctionBody {
  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a function cannot be decoded")
    )
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: encoder.codingPath, debugDescription: "a function cannot be encoded")
    )
  }
}
