import Foundation
import StoreProtocol
import Testing

@Suite("Predicates with logic, arithmetic and optionals")
struct LogicPredicateTests {
  @Test(arguments: logic + arithmetic + optionals)
  func agrees(_ one: PredicateCase) throws { try one.check() }

  private static let logic: [PredicateCase] = [
    PredicateCase("and", #Predicate { $0.isOut && $0.pages > 0 }),
    PredicateCase("or", #Predicate { $0.isOut || $0.pages > 0 }),
    PredicateCase("not", #Predicate { !($0.isOut || $0.year == nil) }),
    PredicateCase(
      "nested",
      #Predicate { ($0.isOut && $0.pages > 0) || !$0.isOut && $0.year != nil }
    ),
    PredicateCase("conditional", #Predicate { $0.isOut ? $0.pages > 0 : $0.year == nil }),
    PredicateCase("constant", #Predicate { _ in true }),
    PredicateCase("bool == comparison", #Predicate { $0.isOut == ($0.pages > 0) }),
    PredicateCase(
      "if let",
      #Predicate { if let year = $0.year { year > 3 } else { $0.isOut } }
    ),
  ]

  private static let smallest = Int.min

  private static let arithmetic: [PredicateCase] = [
    PredicateCase("double sum", #Predicate { $0.price + 1 > 2 }),
    PredicateCase("double product", #Predicate { $0.price * -1 == 0 }),
    PredicateCase("double quotient", #Predicate { $0.price / 0 > 1 }),
    PredicateCase("double minus", #Predicate { -$0.price <= 0 }),
    PredicateCase("float", #Predicate { $0.ratio - 0.1 == 0 }),
    PredicateCase("float quotient", #Predicate { $0.ratio / 3 > 0 }),
    PredicateCase("remainder", #Predicate { $0.pages % 2 == 1 }),
    PredicateCase("quotient", #Predicate { $0.pages / 10 == 10 }),
    PredicateCase(
      "guarded sum",
      #Predicate { $0.pages > -5 && $0.pages < 500 && $0.pages + 1 > 1 }
    ),
    PredicateCase("small quotient", #Predicate { $0.small / 2 == 63 }),
    PredicateCase("unsigned remainder", #Predicate { $0.big % 2 == 1 }),
    PredicateCase("guarded minus", #Predicate { $0.pages > smallest && -$0.pages > 5 }),
  ]

  // The predicate checks each value before it unwraps or casts it.
  // swift-format-ignore: NeverForceUnwrap
  private static let optionals: [PredicateCase] = [
    PredicateCase("coalesced", #Predicate { ($0.subtitle ?? "none") == "none" }),
    PredicateCase("chain", #Predicate { $0.author?.name == "a" }),
    PredicateCase("chain != ", #Predicate { $0.author?.name != "a" }),
    PredicateCase("chain to optional", #Predicate { $0.author?.born == nil }),
    PredicateCase("two steps", #Predicate { $0.author?.mentor?.name == "a" }),
    PredicateCase("three steps", #Predicate { $0.author?.mentor?.mentor == nil }),
    PredicateCase("chained count", #Predicate { ($0.author?.books.count ?? 0) > 8 }),
    PredicateCase("chained string test", #Predicate { $0.author?.name.contains("a") == true }),
    PredicateCase("chained isEmpty", #Predicate { $0.subtitle?.isEmpty == true }),
    PredicateCase("guarded unwrap", #Predicate { $0.author != nil && $0.author!.name == "a" }),
    PredicateCase(
      "if let of object",
      #Predicate { book in
        if let author = book.author { author.name == book.title } else { false }
      }
    ),
    PredicateCase(
      "two bindings",
      #Predicate { book in
        if let author = book.author, let year = book.year {
          author.tags.count == year
        } else {
          false
        }
      }
    ),
  ]
}
