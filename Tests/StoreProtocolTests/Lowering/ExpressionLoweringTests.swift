import Foundation
import Testing

@testable import ModelRuntime
@testable import StoreProtocol

@Suite("Lowering of expressions")
struct ExpressionLoweringTests {
  private let long = #Expression<Book, Bool> { $0.title.count > 1 }

  @Test func `an expression is lowered to a query expression`() throws {
    let schema = try Library(bookCount: 1).schema
    #expect(
      try QueryExpression(lowering: long, in: QueryScope(schema))
        == .compare(
          .greater,
          .aggregate(.count, .property(.element(0), "title")),
          .constant(.integer(1))
        )
    )
  }

  // Predicates cannot contain this node here, but Apple's can.
  @Test func `an expression that is evaluated inside another is inlined`() throws {
    let lowering = Lowering(schema: try Library(bookCount: 1).schema)
    let book = PredicateExpressions.Variable<Book>()
    lowering.bind(book, to: .element(7))
    let node = PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(long), book)
    #expect(
      try lowering.lower(node)
        == .compare(
          .greater,
          .aggregate(.count, .property(.element(7), "title")),
          .constant(.integer(1))
        )
    )
  }
}
