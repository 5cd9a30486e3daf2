import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Conditions on properties")
struct PropertyConditionTests {
  /// A built predicate and the equivalent handwritten one.
  struct Pair: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let built: Predicate<Book>
    let written: Predicate<Book>

    init(_ name: String, _ built: Predicate<Book>, _ written: Predicate<Book>) {
      testDescription = name
      self.built = built
      self.written = written
    }
  }

  @Test(arguments: comparisons + strings + optionals)
  func agrees(_ pair: Pair) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let library = try Library(seed: seed)
      let expected = try library.objects(matching: pair.written)
      #expect(try library.rows(matching: pair.built) == expected)
      #expect(try library.objects(matching: pair.built) == expected)
      let rest = try library.objects(matching: !pair.written)
      #expect(try library.rows(matching: !pair.built) == rest)
      #expect(try library.objects(matching: !pair.built) == rest)
    }
  }

  private static let list = [0, 7, Int.max]
  private static let date = Date(timeIntervalSinceReferenceDate: 0)
  private static let search = TextSearch("a OR k")
  private static let nothing: String? = nil

  private static let comparisons = [
    Pair("equals", Book.where(\.pages, .equals(7)), #Predicate { $0.pages == 7 }),
    Pair("is not", Book.where(\.pages, .isNot(7)), #Predicate { $0.pages != 7 }),
    Pair("is less", Book.where(\.price, .isLess(than: 1)), #Predicate { $0.price < 1 }),
    Pair("is at most", Book.where(\.price, .isAtMost(1)), #Predicate { $0.price <= 1 }),
    Pair("is greater", Book.where(\.cost, .isGreater(than: 0)), #Predicate { $0.cost > 0 }),
    Pair("is at least", Book.where(\.printed, .isAtLeast(date)), #Predicate { $0.printed >= date }),
    Pair(
      "between",
      Book.where(\.pages, .isBetween(0...7)),
      #Predicate { (0...7).contains($0.pages) }
    ),
    Pair(
      "within",
      Book.where(\.pages, .isBetween(0..<7)),
      #Predicate { (0..<7).contains($0.pages) }
    ),
    Pair("is in", Book.where(\.pages, .isIn(list)), #Predicate { list.contains($0.pages) }),
    Pair("true", Book.where(\.isOut, .equals(true)), #Predicate { $0.isOut }),
    Pair("includes", Book.where(\.scores, .includes(3)), #Predicate { $0.scores.contains(3) }),
    Pair("empty", Book.where(\.related, .isEmpty), #Predicate { $0.related.isEmpty }),
  ]

  private static let strings = [
    Pair("contains", Book.where(\.title, .contains("a")), #Predicate { $0.title.contains("a") }),
    Pair(
      "starts",
      Book.where(\.title, .starts(with: "a")),
      #Predicate { $0.title.starts(with: "a") }
    ),
    Pair(
      "localized standard contains",
      Book.where(\.title, .localizedStandardContains("E")),
      #Predicate { $0.title.localizedStandardContains("E") }
    ),
    Pair(
      "search",
      Book.where(\.title, .contains(search)),
      #Predicate { $0.title.contains(search) }
    ),
  ]

  private static let optionals = [
    Pair("equals a value", Book.where(\.year, .equals(7)), #Predicate { $0.year == 7 }),
    Pair("is not a value", Book.where(\.year, .isNot(7)), #Predicate { $0.year != 7 }),
    Pair(
      "equals nothing",
      Book.where(\.subtitle, .equals(nothing)),
      #Predicate { $0.subtitle == nil }
    ),
    Pair("nil", Book.where(\.year, .isNil), #Predicate { $0.year == nil }),
    Pair("not nil", Book.where(\.author, .isNotNil), #Predicate { $0.author != nil }),
    Pair("less", Book.where(\.year, .isLess(than: 7)), #Predicate { ($0.year ?? 7) < 7 }),
    Pair("chain", Book.where(\.author?.name, .equals("a")), #Predicate { $0.author?.name == "a" }),
    Pair(
      "enumeration",
      Book.where(\.genre, .isIn([.novel])),
      #Predicate { $0.genre?.rawValue == "novel" }
    ),
    Pair(
      "chained string",
      Book.where(\.author?.name, .contains("a")),
      #Predicate { $0.author?.name.contains("a") ?? false }
    ),
    Pair(
      "chained search",
      Book.where(\.subtitle, .contains(search)),
      #Predicate { $0.subtitle?.contains(search) ?? false }
    ),
    Pair(
      "two steps",
      Book.where(\.author?.mentor?.name, .isNot("a")),
      #Predicate { $0.author?.mentor?.name != "a" }
    ),
    Pair(
      "a list with nil",
      Book.where(\.subtitle, .isIn(["a", nil])),
      #Predicate { $0.subtitle == nil || $0.subtitle == "a" }
    ),
  ]

  @Test
  func `compare an object by its identity`() throws {
    let library = try Library()
    let author = try #require(library.authors.first)
    let found = try library.rows(matching: Book.where(\.author, .equals(author)))
    #expect(try found == library.objects(matching: Book.where(\.author, .equals(author))))
    #expect(found.count == author.books.count)
  }

  @Test
  func `refuse an order that stored values do not have`() {
    let predicate = Book.where(\.inverted, .isLess(than: .second))
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try QueryExpression(lowering: predicate, in: QueryScope(Schema([Book.self])))
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try predicate.evaluate(Book()) }
  }

  @Test
  func `refuse a computed property`() {
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try QueryExpression(
        lowering: Book.where(\.hashValue, .equals(0)),
        in: QueryScope(Schema([Book.self]))
      )
    }
  }
}
