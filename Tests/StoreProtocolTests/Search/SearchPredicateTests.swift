import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Predicates with searches")
struct SearchPredicateTests {
  @Test(arguments: cases)
  func agrees(_ one: PredicateCase) throws { try one.check() }

  private static let search = TextSearch("a OR k")
  private static let begin = TextSearch("str*")

  private static let cases: [PredicateCase] = [
    PredicateCase("a string", #Predicate { $0.title.contains(search) }),
    PredicateCase("beside another", #Predicate { $0.title.contains(search) && $0.isOut }),
    PredicateCase("not", #Predicate { !$0.title.contains(begin) }),
    PredicateCase("chained", #Predicate { $0.subtitle?.contains(search) == true }),
    PredicateCase("chained, not found", #Predicate { $0.subtitle?.contains(search) != true }),
    PredicateCase("coalesced", #Predicate { ($0.subtitle ?? "a").contains(search) }),
    PredicateCase("chained and coalesced", #Predicate { $0.subtitle?.contains(search) ?? true }),
    PredicateCase("of an object", #Predicate { $0.author?.name.contains(search) ?? false }),
    PredicateCase("of elements", #Predicate { $0.related.contains { $0.title.contains(search) } }),
    PredicateCase("of a list", #Predicate { $0.aliases.contains { $0.contains(search) } }),
    PredicateCase("beside characters", #Predicate { $0.title.contains("a") }),
  ]

  @Test
  func `a search is lowered with its search string`() throws {
    let search = Self.search
    let predicate = #Predicate<Book> { $0.title.contains(search) }
    #expect(
      try QueryExpression(lowering: predicate, in: QueryScope(Schema([Book.self])))
        == .searches(.property(.element(0), "title"), search)
    )
  }

  @Test
  func `a predicate with a search can be printed`() {
    let search = Self.search
    let predicate = #Predicate<Book> { $0.title.contains(search) }
    #expect(String(describing: predicate).contains("TextSearch"))
  }
}
