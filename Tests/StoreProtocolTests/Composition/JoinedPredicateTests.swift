import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Predicates joined at run time")
struct JoinedPredicateTests {
  private static let first = #Predicate<Book> { $0.isOut }
  private static let second = #Predicate<Book> { $0.pages > 0 }
  private static let third = #Predicate<Book> { $0.author?.name == "a" }

  @Test(arguments: cases)
  func agrees(_ one: PredicateCase) throws { try one.check() }

  private static let cases: [PredicateCase] = [
    PredicateCase("all", Predicate(all: [first, second, third])),
    PredicateCase("any", Predicate(any: [first, second, third])),
    PredicateCase("and", first && second),
    PredicateCase("or", first || third),
    PredicateCase("not", !(first || second)),
    PredicateCase("mixed", !first && (second || third) || !(third && .true)),
    PredicateCase("true", .true),
    PredicateCase("not false", !.false),
    PredicateCase("one twice", first && first),
    PredicateCase(
      "variables",
      #Predicate { $0.related.contains { $0.pages > 0 } }
        && #Predicate { $0.related.contains { $0.pages < 0 } }
    ),
  ]

  @Test(arguments: lowered)
  func `have the same lowered form as a macro with operators`(_ pair: LoweredPair) throws {
    let schema = Schema([Book.self])
    #expect(
      try QueryExpression(lowering: pair.joined, in: QueryScope(schema))
        == QueryExpression(lowering: pair.written, in: QueryScope(schema))
    )
  }

  private static let lowered: [LoweredPair] = [
    LoweredPair(
      Predicate(all: [first, second, third]),
      #Predicate { $0.isOut && $0.pages > 0 && $0.author?.name == "a" }
    ),
    LoweredPair(
      first || (second || third),
      #Predicate { $0.isOut || $0.pages > 0 || $0.author?.name == "a" }
    ),
    LoweredPair(
      !(first && second) || third,
      #Predicate { !($0.isOut && $0.pages > 0) || $0.author?.name == "a" }
    ),
    LoweredPair(Predicate(all: [first, second, third].dropLast()), first && second),
    LoweredPair(Predicate(any: [first, second].reversed()), second || first),
    LoweredPair(Predicate(all: [first]), first),
    LoweredPair(Predicate(any: [first]), first),
    LoweredPair(.true && first && .true, first),
    LoweredPair(.false || first, first),
    LoweredPair(Predicate(all: []), .true),
    LoweredPair(Predicate(any: []), .false),
  ]

  @Test
  func `are one list, even of ten thousand predicates`() throws {
    let parts = (0..<10_000).map { number in #Predicate<Book> { $0.pages == number } }
    let schema = Schema([Book.self])
    let list = try QueryExpression(lowering: Predicate(any: parts), in: QueryScope(schema))
    let chain = try QueryExpression(
      lowering: parts.dropFirst().reduce(parts[0]) { $0 || $1 },
      in: QueryScope(schema)
    )
    guard case .or(let listed) = list else {
      Issue.record("the predicates are not joined as a list")
      return
    }
    #expect(listed.count == 10_000)
    #expect(list == chain)
    let book = Book()
    book.pages = 9_999
    #expect(try Predicate(any: parts).evaluate(book))
    #expect(try parts.reduce(.false) { $0 || $1 }.evaluate(book))
  }

  @Test
  func `support many predicates with their own variables`() throws {
    let parts = (0..<3_000).map { number in
      #Predicate<Book> { $0.related.contains { $0.pages == number } }
    }
    let library = try Library()
    let found = try library.rows(matching: Predicate(any: parts))
    let wanted = #Predicate<Book> { $0.related.contains { (0..<3_000).contains($0.pages) } }
    #expect(try found == library.rows(matching: wanted))
    #expect(!found.isEmpty)
  }

  @Test
  func `can be printed`() {
    let predicate =
      !(Self.first && Self.second)
      || #Predicate {
        $0.title.localizedStandardContains("a")
      }
    #expect(String(describing: predicate).contains("any of 2 predicates"))
    #expect(String(reflecting: predicate).contains("any of 2 predicates"))
  }

  @Test
  func `can be printed with a function that Foundation lacks`() {
    let predicate = #Predicate<Book> {
      $0.title.localizedStandardContains("a") && $0.title.localizedCompare("b").rawValue == 0
    }
    #expect(String(describing: predicate).contains("localizedStandardContains"))
  }

  @Test
  func `can have several inputs`() throws {
    let both = Predicate(all: [
      #Predicate<String, Int> { $0.count == $1 }, #Predicate<String, Int> { _, count in count > 1 },
    ])
    #expect(try both.evaluate("ab", 2))
    #expect(try !both.evaluate("a", 1))
    #expect(try (!both || both).evaluate("a", 1))
  }

  @Test
  func `are refused if one part cannot be lowered`() {
    let computed = #Predicate<Book> { $0.hashValue == 0 }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try QueryExpression(
        lowering: Predicate(all: [Self.first, computed]),
        in: QueryScope(Schema([Book.self]))
      )
    }
  }
}

/// A joined predicate and the equivalent handwritten one.
struct LoweredPair: Sendable {
  let joined: Predicate<Book>
  let written: Predicate<Book>

  init(_ joined: Predicate<Book>, _ written: Predicate<Book>) {
    self.joined = joined
    self.written = written
  }
}
