import Foundation
import StoreTestSupport
import Testing

@testable import ModelRuntime
@testable import QueryEvaluation
@testable import StoreProtocol

/// Each test runs on a thread with a stack of 512 KB: too deep a recursion ends the whole run.
@Suite("Deeply nested predicates")
struct DeepPredicateTests {
  private static let schema = Schema([Book.self])

  /// A way to nest predicates.
  enum Nesting: String, CaseIterable, Sendable {
    case negation, alternation, lists

    func predicate(_ depth: Int) -> Predicate<Book> {
      let leaf = #Predicate<Book> { $0.pages > 0 }
      return (0..<depth).reduce(leaf) { inner, level in
        switch self {
        case .negation: !inner
        case .alternation: level.isMultiple(of: 2) ? inner && leaf : inner || leaf
        case .lists:
          level.isMultiple(of: 2) ? Predicate(all: [leaf, inner]) : Predicate(any: [inner])
        }
      }
    }
  }

  private static func isRefused(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch let error as SwiftDataError {
      return error == .unsupportedPredicate && "\(error)".contains("more than 64 levels deep")
    } catch {
      return false
    }
  }

  @Test(arguments: Nesting.allCases)
  func `are lowered and evaluated up to the limit`(nesting: Nesting) throws {
    try SmallStack.run {
      let predicate = nesting.predicate(QueryExpression.maximumDepth - 5)
      let expression = try QueryExpression(lowering: predicate, in: QueryScope(Self.schema))
      let library = try Library()
      let found = try library.rows(matching: predicate)
      #expect(!expression.isDeeper(than: QueryExpression.maximumDepth))
      #expect(!expression.description.isEmpty && expression == expression)
      let book = Book()
      book.pages = 1
      _ = try predicate.evaluate(book)
      _ = found
    }
  }

  @Test(arguments: Nesting.allCases, [200, 2_000, 10_000])
  func `throw a typed error beyond the limit`(nesting: Nesting, depth: Int) throws {
    try SmallStack.run {
      let predicate = nesting.predicate(depth)
      #expect(
        Self.isRefused {
          _ = try QueryExpression(lowering: predicate, in: QueryScope(Self.schema))
        }
      )
      #expect(Self.isRefused { _ = try predicate.evaluate(Book()) })
      #expect(!String(describing: predicate).isEmpty)
    }
  }

  @Test func `throw a typed error if they are built as query expressions`() throws {
    try SmallStack.run {
      for depth in [65, 1_000] {
        let leaf = QueryExpression.compare(.equal, .element(0), .constant(.null))
        let filter = (0..<depth).reduce(leaf) { inner, _ in .not(inner) }
        let evaluator = QueryEvaluator<SnapshotRow>(
          schema: Self.schema.storeSchema,
          row: { _ in nil },
          members: { _, _ in [] }
        )
        #expect(throws: DataStoreError.invalidPredicate) { try evaluator.test(filter) }
        #expect(throws: DataStoreError.invalidPredicate) { try evaluator.ternaryTest(of: filter) }
        #expect(throws: DataStoreError.invalidPredicate) { try evaluator.reader(of: filter) }
        #expect(filter.description == "an expression more than 64 levels deep")
      }
    }
  }

  @Test(arguments: [32, 33, 5_000])
  func `contain no path of more than 32 names`(count: Int) throws {
    try SmallStack.run {
      let path = String(repeating: "author.", count: count - 1) + "name"
      let error = try #require(throws: SwiftDataError.self) {
        try Book.where(path, .equals, "x")
      }
      #expect(error == .unsupportedKeyPath)
      #expect("\(error)".contains("has more than 32 names") == (count > 32), "\(error)")
      #expect(throws: SwiftDataError.unsupportedKeyPath) {
        try SortDescriptor<Book>(property: path)
      }
    }
  }

  @Test func `can be chained without a limit in one list`() throws {
    try SmallStack.run {
      let leaf = #Predicate<Book> { $0.pages > 0 }
      let chain = (0..<5_000).reduce(leaf) { chain, _ in chain || leaf }
      let expression = try QueryExpression(lowering: chain, in: QueryScope(Self.schema))
      guard case .or(let parts) = expression else {
        Issue.record("the chain is not one list")
        return
      }
      #expect(parts.count == 5_001)
    }
  }
}
