import Foundation
import Testing

@testable import StoreProtocol

@Suite("Expressions are lowered, also inside of predicates")
struct ExpressionLoweringTests {
  private let long = #Expression<Book, Bool> { $0.title.count > 1 }

  @Test func `an expression has a query expression`() throws {
    let schema = try Library(bookCount: 1).schema
    #expect(
      try QueryExpression(lowering: long, schema: schema)
        == .compare(
          .greater,
          .aggregate(.count, .property(.element(0), "title")),
          .constant(.integer(1))
        )
    )
  }

  @Test func `an expression that a predicate evaluates is part of it`() throws {
    let library = try Library(seed: 2)
    let long = long
    let predicate = Predicate<Book> { book in
      PredicateExpressions.build_Conjunction(
        lhs: PredicateExpressions.build_KeyPath(root: book, keyPath: \.isOut),
        rhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(long), book)
      )
    }
    let rows = try library.rows(matching: predicate)
    let expected = library.books.filter { $0.isOut && $0.title.count > 1 }
    #expect(rows == expected.map(\.persistentModelID).sorted())
    #expect(!rows.isEmpty)
  }
}
