import Foundation
import StoreProtocol
import Testing

@Suite("Predicates with comparisons")
struct ComparisonPredicateTests {
  @Test(arguments: equality + order + ranges)
  func agrees(_ one: PredicateCase) throws { try one.check() }

  private static let string = "\u{E9}"
  private static let optionalString: String? = "e\u{301}"
  private static let noString: String? = nil
  private static let date = Date(timeIntervalSinceReferenceDate: 0)
  private static let id = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
  private static let site = URL(string: "file:///x")
  private static let decimal = Decimal(string: "1.0") ?? 1
  private static let bytes = Data([1, 2, 3])
  private static let genre: Genre? = .poem
  private static let noNumber = Double.nan
  private static let set: Set<String> = ["a"]
  private static let counts = ["\u{E9}": 3, "a": 2]

  private static let equality: [PredicateCase] = [
    PredicateCase("string == constant", #Predicate { $0.title == string }),
    PredicateCase("string != constant", #Predicate { $0.title != string }),
    PredicateCase("optional string == optional", #Predicate { $0.subtitle == optionalString }),
    PredicateCase("optional string == nil value", #Predicate { $0.subtitle == noString }),
    PredicateCase("optional string == nil", #Predicate { $0.subtitle == nil }),
    PredicateCase("optional string != nil", #Predicate { $0.subtitle != nil }),
    PredicateCase("property == property", #Predicate { $0.title == $0.subtitle ?? "" }),
    PredicateCase("optional number == constant", #Predicate { $0.year == 7 }),
    PredicateCase("double == NaN", #Predicate { $0.price == noNumber }),
    PredicateCase("double != NaN", #Predicate { $0.price != noNumber }),
    PredicateCase("double == 0 with -0.0", #Predicate { $0.price == 0 }),
    PredicateCase("double == itself", #Predicate { $0.price == $0.price }),
    PredicateCase("float", #Predicate { $0.ratio == 0.1 }),
    PredicateCase("decimal", #Predicate { $0.cost == decimal }),
    PredicateCase("date", #Predicate { $0.printed == date }),
    PredicateCase("UUID", #Predicate { $0.isbn == id }),
    PredicateCase("URL", #Predicate { $0.site == site }),
    PredicateCase("data", #Predicate { $0.data == bytes }),
    PredicateCase("enumeration", #Predicate { $0.genre == genre }),
    PredicateCase("raw value", #Predicate { $0.genre?.rawValue == "verse" }),
    PredicateCase("bool", #Predicate { $0.isOut }),
    PredicateCase("bool == false", #Predicate { $0.isOut == false }),
    PredicateCase("list", #Predicate { $0.scores == [1, 2] }),
    PredicateCase("set", #Predicate { $0.aliases == set }),
    PredicateCase("dictionary", #Predicate { $0.counts == counts }),
  ]

  private static let order: [PredicateCase] = [
    PredicateCase("string <", #Predicate { $0.title < string }),
    PredicateCase("string >= property", #Predicate { $0.title >= $0.author?.name ?? "" }),
    PredicateCase("number <=", #Predicate { $0.pages <= 7 }),
    PredicateCase("double >", #Predicate { $0.price > 0 }),
    PredicateCase("double <= NaN", #Predicate { $0.price <= noNumber }),
    PredicateCase("not double < NaN", #Predicate { !($0.price < noNumber) }),
    PredicateCase("unsigned", #Predicate { $0.big > 255 }),
    PredicateCase("decimal", #Predicate { $0.cost < decimal }),
    PredicateCase("date", #Predicate { $0.printed > date }),
    PredicateCase("UUID", #Predicate { $0.isbn < id }),
    PredicateCase("small", #Predicate { $0.small < 1 }),
    PredicateCase("coalesced", #Predicate { ($0.year ?? -5) < 0 }),
    PredicateCase("flatMap", #Predicate { $0.year.flatMap { $0 > 3 } ?? false }),
  ]

  private static let closed = 0...100
  private static let halfOpen = 0..<100
  private static let from = 2...
  private static let through = ...7
  private static let upTo = ..<7
  private static let dates = Date.distantPast...Date(timeIntervalSinceReferenceDate: 1)
  private static let strings = "a"..."k"

  private static let ranges: [PredicateCase] = [
    PredicateCase("closed", #Predicate { closed.contains($0.pages) }),
    PredicateCase("half open", #Predicate { halfOpen.contains($0.pages) }),
    PredicateCase("from", #Predicate { from.contains($0.pages) }),
    PredicateCase("through", #Predicate { through.contains($0.pages) }),
    PredicateCase("up to", #Predicate { upTo.contains($0.pages) }),
    PredicateCase("dates", #Predicate { dates.contains($0.printed) }),
    PredicateCase("strings", #Predicate { strings.contains($0.title) }),
    PredicateCase("written out", #Predicate { (0...100).contains($0.pages) }),
  ]
}
