import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Predicates on collections and strings")
struct CollectionPredicateTests {
  @Test(arguments: membership + quantified + properties + strings)
  func agrees(_ one: PredicateCase) throws { try one.check() }

  private static let titles = ["e\u{301}", "K", "nowhere"]
  private static let manyTitles = Set(HardValues.texts.dropFirst(8) + (0..<100).map(String.init))
  private static let optionals: [String?] = [nil, "a"]
  private static let numbers = Set([Int.max, 7, 100])
  private static let doubles: [Double] = [.nan, 0, 1]
  private static let genres: [Genre?] = [.novel, nil]
  private static let decimals = HardValues.decimals + (0..<20).map { Decimal($0) }

  private static let membership: [PredicateCase] = [
    PredicateCase("strings", #Predicate { titles.contains($0.title) }),
    PredicateCase("many strings", #Predicate { manyTitles.contains($0.title) }),
    PredicateCase("optional strings", #Predicate { optionals.contains($0.subtitle) }),
    PredicateCase("numbers", #Predicate { numbers.contains($0.pages) }),
    PredicateCase("doubles", #Predicate { doubles.contains($0.price) }),
    PredicateCase("decimals", #Predicate { decimals.contains($0.cost) }),
    PredicateCase("enumerations", #Predicate { genres.contains($0.genre) }),
    PredicateCase("own list", #Predicate { $0.scores.contains(2) }),
    PredicateCase("own set", #Predicate { $0.aliases.contains("a") }),
    PredicateCase("own sublist", #Predicate { $0.scores.contains([1, 2]) }),
    PredicateCase(
      "list of the related object",
      #Predicate { $0.author.flatMap { $0.tags.contains("a") } == true }
    ),
    PredicateCase("starts with", #Predicate { $0.scores.starts(with: [1]) }),
    PredicateCase("bytes", #Predicate { $0.data.contains(1) }),
  ]

  private static let quantified: [PredicateCase] = [
    PredicateCase("some related", #Predicate { $0.related.contains { $0.isOut } }),
    PredicateCase("each related", #Predicate { $0.related.allSatisfy { $0.pages > 0 } }),
    PredicateCase(
      "correlated",
      #Predicate { book in book.related.contains { $0.pages > book.pages } }
    ),
    PredicateCase(
      "two levels",
      #Predicate { book in
        book.related.contains { other in other.related.contains { $0.title == book.title } }
      }
    ),
    PredicateCase("filter count", #Predicate { $0.related.filter { $0.isOut }.count > 1 }),
    PredicateCase("numbers", #Predicate { $0.scores.contains { $0 > 2 } }),
    PredicateCase("numbers each", #Predicate { $0.scores.allSatisfy { $0 > 2 } }),
    PredicateCase(
      "characters",
      #Predicate { book in book.title.contains { letter in letter == book.title.first ?? letter } }
    ),
    PredicateCase(
      "books of the related object",
      #Predicate { book in
        if let author = book.author {
          author.books.filter { other in other.title == book.title }.count > 1
        } else {
          false
        }
      }
    ),
  ]

  private static let properties: [PredicateCase] = [
    PredicateCase("count", #Predicate { $0.scores.count == 2 }),
    PredicateCase("isEmpty", #Predicate { $0.related.isEmpty }),
    PredicateCase("isEmpty == false", #Predicate { $0.related.isEmpty == false }),
    PredicateCase("related count", #Predicate { $0.related.count > 1 }),
    PredicateCase("first", #Predicate { $0.scores.first == 1 }),
    PredicateCase("last", #Predicate { $0.scores.last == 1 }),
    PredicateCase("first object", #Predicate { $0.related.first?.isOut == true }),
    PredicateCase("last object is nil", #Predicate { $0.related.last == nil }),
    PredicateCase("min", #Predicate { $0.scores.min() == 1 }),
    PredicateCase("max", #Predicate { ($0.scores.max() ?? 0) > 3 }),
    PredicateCase("subscript", #Predicate { $0.scores.count > 1 && $0.scores[1] == 2 }),
    PredicateCase("dictionary", #Predicate { $0.counts["a"] == 2 }),
    PredicateCase("dictionary by canonical key", #Predicate { $0.counts["e\u{301}"] == 3 }),
    PredicateCase("dictionary with default", #Predicate { $0.counts["a", default: 9] > 1 }),
    PredicateCase("dictionary count", #Predicate { $0.counts.count == 2 }),
    PredicateCase("set isEmpty", #Predicate { $0.aliases.isEmpty }),
    PredicateCase("set count", #Predicate { $0.aliases.count == 1 }),
    PredicateCase("data count", #Predicate { $0.data.count == 1 }),
    PredicateCase("string count", #Predicate { $0.title.count == 1 }),
    PredicateCase("string isEmpty", #Predicate { $0.title.isEmpty }),
    PredicateCase("string first", #Predicate { $0.title.first == $0.title.last }),
    PredicateCase("string last is nil", #Predicate { $0.title.last == nil }),
  ]

  private static let letter = "e"
  private static let empty = ""

  private static let strings: [PredicateCase] = [
    PredicateCase("contains", #Predicate { $0.title.contains(letter) }),
    PredicateCase("contains nothing", #Predicate { $0.title.contains(empty) }),
    PredicateCase("contains property", #Predicate { $0.title.contains($0.subtitle ?? "x") }),
    PredicateCase("starts with", #Predicate { $0.title.starts(with: "e\u{301}") }),
    PredicateCase("regular expression", #Predicate { $0.title.contains(#/[a-e]$/#) }),
    PredicateCase("standard contains", #Predicate { $0.title.localizedStandardContains(letter) }),
    PredicateCase(
      "case insensitive compare",
      #Predicate { $0.title.caseInsensitiveCompare("k").rawValue == 0 }
    ),
    PredicateCase(
      "localized compare",
      #Predicate { $0.title.localizedCompare("k").rawValue < 0 }
    ),
  ]
}
